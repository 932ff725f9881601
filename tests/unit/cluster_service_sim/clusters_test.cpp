#include "unit/cluster_service_sim/fixture.hpp"

namespace acceptd::simulator::testing {
namespace {

using ClustersTest = SimulatorTest;

TEST_F(ClustersTest, GrowFromPendingToReady) {
  const Reply created = post(kClusters, cluster_body("one"));
  ASSERT_EQ(created.status, 201U);
  const std::string id = created.text("/id");
  EXPECT_EQ(created.text("/kind"), "Cluster");
  EXPECT_EQ(created.text("/href"), kClusters + "/" + id);
  EXPECT_EQ(created.text("/creation_timestamp"), "2026-01-05T18:29:58.000000Z");
  EXPECT_EQ(created.text("/status/state"), "pending");
  EXPECT_EQ(created.text("/api/url"), "(none)");
  EXPECT_EQ(created.text("/domain_prefix").size(), 15U);
  clock_.advance(1s);
  EXPECT_EQ(state(id), "validating");
  clock_.advance(1s);
  EXPECT_EQ(state(id), "installing");
  clock_.advance(8s);
  EXPECT_EQ(state(id), "ready");
  const Reply ready = get(kClusters + "/" + id);
  EXPECT_EQ(ready.text("/api/url"), "https://api." + ready.text("/domain_prefix") + ".westus3.hcp.simulated.example:443");
  EXPECT_EQ(ready.text("/dns/base_domain"), "westus3.hcp.simulated.example");
  EXPECT_NE(ready.text("/console/url"), "(none)");
}

TEST_F(ClustersTest, AreServedUnderBothBases) {
  const std::string id = create("one");
  const Reply reply = get(kBreakGlass + "/" + id);
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(reply.text("/href"), kClusters + "/" + id);
}

TEST_F(ClustersTest, EchoManagedIdentitiesWithWhatAzureKnows) {
  json::object body = cluster_body("one");
  body["azure"].as_object()["operators_authentication"] = json::parse(R"({"managed_identities":{
    "managed_identities_data_plane_identity_url":"https://identity",
    "control_plane_operators_managed_identities":{"ingress":{"resource_id":"/a"},"image":{"resource_id":"/b"}},
    "data_plane_operators_managed_identities":{"csi":{"resource_id":"/c"}},
    "service_managed_identity":{"resource_id":"/d"}}})");
  const Reply reply = post(kClusters, body);
  ASSERT_EQ(reply.status, 201U) << reply.response.body;
  const std::string base = "/azure/operators_authentication/managed_identities/";
  const std::string control = base + "control_plane_operators_managed_identities/";
  EXPECT_EQ(reply.text(control + "ingress/resource_id"), "/a");
  EXPECT_EQ(reply.text(control + "ingress/client_id").size(), 36U);
  EXPECT_EQ(reply.text(control + "image/principal_id").size(), 36U);
  EXPECT_NE(reply.text(control + "image/principal_id"), reply.text(control + "ingress/principal_id"));
  EXPECT_EQ(reply.text(base + "service_managed_identity/client_id").size(), 36U);
  EXPECT_EQ(reply.text(base + "data_plane_operators_managed_identities/csi/client_id"), "(none)");
}

TEST_F(ClustersTest, KeepOneLiveObjectPerAzureName) {
  const std::string id = create("One");
  json::object again = cluster_body("one");
  again["azure"].as_object()["subscription_id"] = "11111111-2222-3333-4444-555555555555";
  const Reply refused = post(kClusters, again);
  EXPECT_EQ(refused.status, 409U);
  EXPECT_EQ(refused.text("/kind"), "Error");
  EXPECT_EQ(refused.text("/id"), "409");
  EXPECT_EQ(refused.text("/code"), "CLUSTERS-MGMT-409");
  EXPECT_NE(refused.text("/reason").find("already exists"), std::string::npos);
  remove(kClusters + "/" + id);
  EXPECT_EQ(post(kClusters, again).status, 409U) << "it is still being removed";
  clock_.advance(4s);
  EXPECT_EQ(post(kClusters, again).status, 201U);
  const Reply stats = get("/simulator/stats");
  const std::string tally = "/names/cluster~111111111-2222-3333-4444-555555555555~1rg~1one";
  EXPECT_EQ(stats.text(tally + "/created"), "2");
  EXPECT_EQ(stats.text(tally + "/refused"), "2");
  EXPECT_EQ(stats.text("/duplicates"), "0");
}

TEST_F(ClustersTest, KeepDomainPrefixesUnique) {
  json::object first = cluster_body("one");
  first["domain_prefix"] = "front";
  json::object second = cluster_body("two");
  second["domain_prefix"] = "FRONT";
  EXPECT_EQ(post(kClusters, first).text("/domain_prefix"), "front");
  EXPECT_EQ(post(kClusters, second).status, 409U);
  second["domain_prefix"] = "back";
  EXPECT_EQ(post(kClusters, second).status, 201U);
}

struct BadBody {
  const char* name;
  std::vector<std::string> path;
  json::value value;
  const char* named;  ///< what the reason must name
};
void PrintTo(const BadBody& one, std::ostream* out) { *out << one.name; }
void set_at(json::object& object, std::span<const std::string> path, const json::value& value) {
  json::value& member = object[path.front()];
  if (path.size() == 1) {
    member = value;
    return;
  }
  set_at(member.is_object() ? member.get_object() : member.emplace_object(), path.subspan(1), value);
}
class PreFlight : public SimulatorTest, public ::testing::WithParamInterface<BadBody> {};
TEST_P(PreFlight, RefusesWith400AndNamesTheAttribute) {
  json::object body = cluster_body("one");
  set_at(body, GetParam().path, GetParam().value);
  const Reply reply = post(kClusters, body);
  EXPECT_EQ(reply.status, 400U);
  EXPECT_NE(reply.text("/reason").find(GetParam().named), std::string::npos) << reply.text("/reason");
  EXPECT_EQ(get(kClusters).text("/total"), "0");
}
INSTANTIATE_TEST_SUITE_P(
    Bodies, PreFlight,
    ::testing::Values(BadBody{"NoName", {"name"}, nullptr, "'name'"},
                      BadBody{"NoRegion", {"region", "id"}, nullptr, "'region.id'"},
                      BadBody{"NoTenant", {"azure", "tenant_id"}, nullptr, "'azure.tenant_id'"},
                      BadBody{"EmptyResourceGroup", {"azure", "resource_group_name"}, "", "'azure.resource_group_name'"},
                      BadBody{"BadName", {"name"}, "1one", "1one"}, BadBody{"NameWithDash", {"name"}, "one-", "one-"},
                      BadBody{"LongPrefix", {"domain_prefix"}, "sixteen-letters-", "sixteen"},
                      BadBody{"CidrWithoutLength", {"network", "pod_cidr"}, "10.0.0.0", "network.pod_cidr"},
                      BadBody{"CidrTooLong", {"network", "pod_cidr"}, "10.0.0.0/33", "network.pod_cidr"},
                      BadBody{"CidrBadPart", {"network", "machine_cidr"}, "10.0.256.0/16", "network.machine_cidr"},
                      BadBody{"CidrHostBits", {"network", "service_cidr"}, "10.0.0.1/16", "network.service_cidr"},
                      BadBody{"CidrText", {"network", "service_cidr"}, "ten", "network.service_cidr"},
                      BadBody{"HostPrefix", {"network", "host_prefix"}, 27, "network.host_prefix"},
                      BadBody{"OtherCloud", {"cloud_provider", "id"}, "aws", "cloud_provider.id"},
                      BadBody{"NameIsNumber", {"name"}, 7, "'name'"}, BadBody{"AzureIsText", {"azure"}, "x", "'azure'"},
                      BadBody{"PropertyIsNumber", {"properties"}, json::object{{"a", 1}}, "'properties'"},
                      BadBody{"HostPrefixIsText", {"network", "host_prefix"}, "23", "network.host_prefix"}),
    [](const auto& info) { return info.param.name; });

TEST_F(ClustersTest, RefuseOverlappingNetworks) {
  json::object body = cluster_body("one");
  body["network"] = json::object{{"machine_cidr", "10.0.0.0/16"}, {"pod_cidr", "10.0.128.0/17"}};
  EXPECT_EQ(post(kClusters, body).status, 400U);
  body["network"] = json::object{{"machine_cidr", "10.0.0.0/16"}, {"pod_cidr", "10.1.0.0/16"}, {"service_cidr", "172.30.0.0/16"}};
  EXPECT_EQ(post(kClusters, body).status, 201U);
}

TEST_F(ClustersTest, IgnoreMembersThatTheyDoNotKnow) {
  json::object body = cluster_body("one");
  body["colour"] = "green";
  body["network"] = json::object{{"typo_cidr", 5}};
  const Reply reply = post(kClusters, body);
  EXPECT_EQ(reply.status, 201U);
  EXPECT_EQ(reply.text("/colour"), "(none)");
  EXPECT_EQ(reply.text("/network"), "(none)");
}

TEST_F(ClustersTest, RefuseWhatIsNotAJsonObject) {
  http::Request request = this->request(http::Method::post, kClusters);
  for (const char* body : {"{", "[]", "7", "\"x\""}) {
    request.body = body;
    EXPECT_EQ(send(request).status, 400U) << body;
  }
}

TEST_F(ClustersTest, UpdateWhatMayChange) {
  json::object body = cluster_body("one");
  body["properties"] = json::object{{"stamp", "1"}};
  const std::string id = post(kClusters, body).text("/id");
  const std::string path = kClusters + "/" + id;
  const json::value change =
      json::parse(R"({"node_drain_grace_period":{"unit":"minutes","value":30},"properties":{"stamp":"2"}})");
  EXPECT_EQ(patch(path, change).status, 400U) << "not while it is installing";
  clock_.advance(10s);
  const Reply changed = patch(path, change);
  EXPECT_EQ(changed.status, 200U);
  EXPECT_EQ(changed.text("/status/state"), "updating");
  clock_.advance(4999ms);
  EXPECT_EQ(state(id), "updating");
  clock_.advance(1ms);
  EXPECT_EQ(state(id), "ready");
  const Reply read = get(path);
  EXPECT_EQ(read.text("/node_drain_grace_period/value"), "30");
  EXPECT_EQ(read.text("/properties/stamp"), "2");
  EXPECT_NE(read.text("/api/url"), "(none)");
}

TEST_F(ClustersTest, RefuseChangesOfWhatIsFixed) {
  const std::string path = kClusters + "/" + create_ready("one");
  const Reply refused = patch(path, json::parse(R"({"azure":{"resource_group_name":"other"}})"));
  EXPECT_EQ(refused.status, 400U);
  EXPECT_NE(refused.text("/reason").find("azure.resource_group_name"), std::string::npos);
  EXPECT_EQ(patch(path, json::parse(R"({"azure":{"resource_group_name":"rg"}})")).status, 200U);
  EXPECT_EQ(patch(path, json::parse(R"({"network":{"host_prefix":24}})")).status, 400U);
  EXPECT_EQ(patch(kClusters + "/missing", json::object()).status, 404U);
}

TEST_F(ClustersTest, TakeTheirNodePoolsAlongWhenTheyGo) {
  const std::string id = create_ready("one");
  const std::string path = kClusters + "/" + id;
  ASSERT_EQ(post(path + "/node_pools", node_pool_body("workers")).status, 201U);
  const Reply gone = remove(path);
  EXPECT_EQ(gone.status, 204U);
  EXPECT_EQ(gone.response.body, "");
  EXPECT_EQ(state(id), "uninstalling");
  EXPECT_EQ(pool_state(id, "workers"), "uninstalling");
  EXPECT_EQ(post(path + "/node_pools", node_pool_body("late")).status, 400U);
  EXPECT_EQ(patch(path, json::object()).status, 400U);
  clock_.advance(2s);
  EXPECT_EQ(remove(path).status, 204U) << "asking again neither fails nor begins anew";
  clock_.advance(2s);
  EXPECT_EQ(get(path).status, 404U);
  EXPECT_EQ(get(path + "/status").status, 404U);
  EXPECT_EQ(get(path + "/node_pools").status, 404U);
  EXPECT_EQ(remove(path).status, 404U);
  const Reply stats = get("/simulator/stats");
  EXPECT_EQ(stats.text("/alive"), R"({"cluster":0,"node_pool":0,"credential":0})");
}

TEST_F(ClustersTest, AreFoundBySearchPageByPage) {
  std::vector<std::string> ids;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    json::object body = cluster_body(name);
    body["properties"] = json::object{{"stamp", name}};
    ids.push_back(post(kClusters, body).text("/id"));
  }
  const Reply first = search("azure.resource_group_name = 'rg'", "1", "2");
  EXPECT_EQ(first.text("/kind"), "ClusterList");
  EXPECT_EQ(first.text("/total"), "5");
  EXPECT_EQ(first.text("/size"), "2");
  EXPECT_EQ(first.text("/items/0/id"), ids[0]);
  EXPECT_EQ(search("azure.resource_group_name = 'rg'", "3", "2").text("/items/0/id"), ids[4]);
  EXPECT_EQ(search("azure.resource_group_name = 'rg'", "4", "2").text("/items"), "[]");
  EXPECT_EQ(search("azure.resource_name = 'c' and azure.tenant_id = '66666666-2222-3333-4444-555555555555'").text("/items/0/id"),
            ids[2]);
  EXPECT_EQ(search("properties.stamp = 'd'").text("/items/0/id"), ids[3]);
  EXPECT_EQ(search("id in ('" + ids[1] + "','" + ids[4] + "','none')").text("/total"), "2");
  EXPECT_EQ(search("status.state = 'ready'").text("/total"), "0");
  for (const auto& [text, page] :
       {std::pair("name like 'a'", "1"), std::pair("", "0"), std::pair("", "-1"), std::pair("", "two")})
    EXPECT_EQ(search(text, page).status, 400U) << text << " " << page;
}

TEST_F(ClustersTest, AreFoundByASearchThatWritesBlanksAsPlus) {
  const std::string id = create("one");
  create("two");
  EXPECT_EQ(get(kClusters + "?search=name+%3D+%27one%27").text("/items/0/id"), id);
  EXPECT_EQ(get(kClusters + "?page=1&search=name+%3D+%27one%2B%27").text("/total"), "0");
}

TEST_F(ClustersTest, ShowTheirAutoscalerAsALink) {
  json::object body = cluster_body("one");
  body["autoscaler"] = json::parse(R"({"max_node_provision_time":"15m","resource_limits":{"max_nodes_total":9}})");
  const Reply created = post(kClusters, body);
  const std::string path = kClusters + "/" + created.text("/id");
  EXPECT_EQ(created.text("/autoscaler/href"), path + "/autoscaler");
  EXPECT_EQ(created.text("/autoscaler/max_node_provision_time"), "(none)");
  EXPECT_EQ(get(path + "/autoscaler").text("/resource_limits/max_nodes_total"), "9");
  EXPECT_EQ(get(kClusters + "/" + create("two") + "/autoscaler").status, 404U);
}

TEST_F(ClustersTest, TellOfInflightChecks) {
  const std::string path = kClusters + "/" + create("one");
  EXPECT_EQ(get(path + "/inflight_checks").text("/items/0/state"), "pending");
  clock_.advance(1s);
  EXPECT_EQ(get(path + "/inflight_checks").text("/items/0/state"), "running");
  clock_.advance(1s);
  EXPECT_EQ(get(path + "/inflight_checks").text("/items/0/state"), "passed");
}

TEST_F(ClustersTest, AnswerUnknownPathsAndMethods) {
  EXPECT_EQ(get("/api/aro_hcp/v1alpha1/unknown").status, 404U);
  EXPECT_EQ(get("/api/aro_hcp/v1alpha1").status, 404U);
  EXPECT_EQ(get("/api/other/v1/clusters").status, 404U);
  EXPECT_EQ(remove(kClusters).status, 405U);
  EXPECT_EQ(get(kClusters + "/" + create("one") + "/break_glass_credentials").status, 404U) << "only under the older base";
}

TEST_F(ClustersTest, SayThatTheyAreSimulated) {
  EXPECT_EQ(get("/").text("/simulator"), "true");
  for (const Reply& reply : {get("/"), get(kClusters), get(kClusters + "/none"), remove("/simulator/script")})
    EXPECT_EQ(reply.response.headers.get("X-Simulator"), "cluster-service-sim");
}

TEST_F(ClustersTest, OfferVersions) {
  EXPECT_EQ(get("/api/aro_hcp/v1alpha1/versions").text("/kind"), "VersionList");
  EXPECT_EQ(get("/api/aro_hcp/v1alpha1/versions/openshift-v4.20.8").text("/raw_id"), "4.20.8");
  EXPECT_EQ(get("/api/aro_hcp/v1alpha1/versions/openshift-v4.21.0-fast").text("/channel_group"), "fast");
  EXPECT_EQ(get("/api/aro_hcp/v1alpha1/versions/openshift-v9").status, 404U);
}

}  // namespace
}  // namespace acceptd::simulator::testing
