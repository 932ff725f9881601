// The adapter against the simulator, which shares no code with it: whole lives of objects in virtual time, without sockets.
#include <unistd.h>

#include <filesystem>

#include "apps/cluster-service-sim/simulator/simulator.hpp"
#include "fake_backend.hpp"
#include "http/uri.hpp"

namespace acceptd::providers::cluster_service {
namespace {

using namespace std::chrono_literals;
using engine::Observation;
using engine::Submission;
using engine::Target;
using model::RequestKind;
using model::Status;
using Answer = Submission::Answer;

/// Hands requests to the simulator as if they had come over the wire.
class SimulatedNetwork : public http::Client {
 public:
  explicit SimulatedNetwork(simulator::Simulator& simulator) : simulator_(simulator) {}

  runtime::Task<std::expected<http::Response, http::ClientError>> send(http::ClientRequest sent) override {
    const auto target = http::parse_target(sent.target);
    if (!target) throw std::logic_error("the adapter sent a malformed target: " + sent.target);
    http::Request request;
    request.method = sent.method;
    request.target = sent.target;
    request.path = target->path;
    request.segments = target->segments;
    request.query = target->query;
    request.headers = sent.headers;
    request.body = std::move(sent.body);
    const simulator::Treatment treatment = simulator_.treat(request);
    http::Response response = simulator_.answer(request, treatment);
    if (std::exchange(lose_next_answer, false)) co_return std::unexpected(http::ClientError{http::Failure::unknown, "lost"});
    co_return response;
  }

  bool lose_next_answer = false;

 private:
  simulator::Simulator& simulator_;
};

struct SimulatorInteropTest : BackendTest {
  SimulatorInteropTest() {
    clusters_ = make_cluster_provider(wire_, options);
    node_pools_ = make_node_pool_provider(wire_, options);
  }
  ~SimulatorInteropTest() override { std::filesystem::remove_all(folder_); }

  static std::filesystem::path make_folder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    auto folder = std::filesystem::temp_directory_path() / fmt::format("adapter-{}-{}", ::getpid(), test->name());
    std::filesystem::create_directories(folder);
    return folder;
  }

  static Target cluster(RequestKind request) {
    Target target = BackendTest::target(request);
    target.desired = parsed(R"({"version":{"id":"4.20.8","channelGroup":"stable"},"dns":{"baseDomainPrefix":"abc"},
      "network":{"networkType":"OVNKubernetes","podCidr":"10.128.0.0/14","serviceCidr":"172.30.0.0/16","machineCidr":"10.0.0.0/16","hostPrefix":23},
      "api":{"visibility":"Public"},"nodeDrainTimeoutMinutes":10,"clusterImageRegistry":{"state":"Enabled"},
      "autoscaling":{"maxNodesTotal":50,"maxPodGracePeriodSeconds":600,"maxNodeProvisionTimeSeconds":900,"podPriorityThreshold":-10},
      "platform":{"managedResourceGroup":"arohcp-x","subnetId":"/s","networkSecurityGroupId":"/n","outboundType":"LoadBalancer",
        "operatorsAuthentication":{"userAssignedIdentities":{"controlPlaneOperators":{"kms":"/mi/1"},"dataPlaneOperators":{"disk":"/mi/2"},"serviceManagedIdentity":"/mi/3"}}},
      "etcd":{"dataEncryption":{"keyManagementMode":"CustomerManaged","customerManaged":{"encryptionType":"KMS",
        "kms":{"visibility":"Public","vaultName":"v","activeKey":{"name":"k","version":"1"}}}}}})")
                         .as_object();
    return target;
  }
  static Target pool(RequestKind request, std::string cluster) {
    Target target = BackendTest::target(request, std::string(kClusterId) + "/nodePools/Pool-1");
    target.parent_internal_id = std::move(cluster);
    target.desired = parsed(R"({"version":{"id":"4.20.8","channelGroup":"stable"},"replicas":2,"autoRepair":true,
      "platform":{"vmSize":"Standard_D8s_v3","enableEncryptionAtHost":false,"osDisk":{"sizeGiB":64,"diskStorageAccountType":"Premium_LRS","diskType":"Managed"}},
      "labels":[{"key":"a","value":"1"}],"taints":[{"effect":"NoSchedule","key":"k","value":"v"}]})")
                         .as_object();
    return target;
  }

  /// The states that the operation shows one after the other, until it ends or the object is gone.
  std::vector<std::string> watch(engine::Provider& provider, Target target) {
    std::vector<std::string> shown;
    for (int i = 0; i < 1000; ++i) {
      last = run(provider.observe(target));
      if (last.kind == Observation::Kind::gone) {
        shown.push_back("gone");
        return shown;
      }
      EXPECT_EQ(last.kind, Observation::Kind::state) << last.summary;
      if (last.status && *last.status != target.status) {
        target.status = *last.status;
        shown.push_back(std::string(model::to_string(target.status)));
        if (model::is_terminal(target.status)) return shown;
      }
      clock.advance(100ms);
    }
    ADD_FAILURE() << "it does not end";
    return shown;
  }
  std::string ready_cluster() {
    Target target = cluster(RequestKind::create);
    target.internal_id = run(clusters_->submit(target)).internal_id;
    watch(*clusters_, target);
    return target.internal_id;
  }

  std::filesystem::path folder_ = make_folder();
  simulator::Journal journal_{folder_ / "simulator.db"};
  simulator::World world_{journal_, clock, simulator::Durations(), 1};
  simulator::Simulator simulator_{world_};
  SimulatedNetwork network{simulator_};
  Connection wire_{limits, Connection::Dependencies{network, clock, random}};
  std::unique_ptr<engine::Provider> clusters_, node_pools_;
  Observation last;
};

using Shown = std::vector<std::string>;

TEST_F(SimulatorInteropTest, TheLifeOfACluster) {
  Target target = cluster(RequestKind::create);
  const auto created = run(clusters_->submit(target));
  ASSERT_EQ(created.answer, Answer::accepted) << created.summary;
  target.internal_id = created.internal_id;
  EXPECT_EQ(watch(*clusters_, target), (Shown{"Provisioning", "Succeeded"}));
  EXPECT_TRUE(at(last.observed, "/api/url").is_string());
  EXPECT_TRUE(at(last.observed, "/console/url").is_string());
  EXPECT_EQ(at(last.observed, "/dns/baseDomainPrefix"), "abc");
  EXPECT_EQ(at(last.observed, "/identity/userAssignedIdentities").as_object().size(), 2u);

  target.request = RequestKind::update;
  target.operation = *model::parse_uuid("00000000-0000-4000-8000-000000000001");
  target.desired["nodeDrainTimeoutMinutes"] = 20;
  ASSERT_EQ(run(clusters_->submit(target)).answer, Answer::accepted);
  EXPECT_EQ(watch(*clusters_, target), (Shown{"Updating", "Succeeded"}));

  target.request = RequestKind::remove;
  target.status = Status::deleting;
  ASSERT_EQ(run(clusters_->submit(target)).answer, Answer::accepted);
  EXPECT_EQ(watch(*clusters_, target), (Shown{"gone"}));
  EXPECT_EQ(run(clusters_->submit(target)).answer, Answer::gone);
}

TEST_F(SimulatorInteropTest, HCP_002_AClusterWhoseAnswerWasLostIsFoundByItsStamp) {
  const Target target = cluster(RequestKind::create);
  network.lose_next_answer = true;
  EXPECT_EQ(run(clusters_->submit(target)).answer, Answer::unknown);
  const auto result = run(clusters_->search(target));
  ASSERT_TRUE(result.available) << result.summary;
  ASSERT_EQ(result.found.size(), 1u);
  EXPECT_EQ(result.found[0].incarnation, target.incarnation);
  EXPECT_EQ(result.found[0].operation, target.operation);
  EXPECT_EQ(result.found[0].created, clock.now());
  EXPECT_EQ(run(clusters_->submit(target)).answer, Answer::exists);
}

TEST_F(SimulatorInteropTest, ADomainPrefixOfAnotherClusterIsAConflict) {
  ASSERT_EQ(run(clusters_->submit(cluster(RequestKind::create))).answer, Answer::accepted);
  Target other = cluster(RequestKind::create);
  other.id = *model::ResourceId::parse(std::string(kClusterId) + "2");
  const auto submission = run(clusters_->submit(other));
  EXPECT_EQ(submission.answer, Answer::rejected);
  EXPECT_EQ(submission.error->code, "Conflict");
}

TEST_F(SimulatorInteropTest, HCP_002_AnUpdateWhoseAnswerWasLostIsNotRefusedWhenItComesAgain) {
  Target target = cluster(RequestKind::update);
  target.internal_id = ready_cluster();
  target.operation = *model::parse_uuid("00000000-0000-4000-8000-000000000001");
  target.desired["nodeDrainTimeoutMinutes"] = 20;
  ASSERT_EQ(run(clusters_->submit(target)).answer, Answer::accepted);
  EXPECT_EQ(run(clusters_->submit(target)).answer, Answer::accepted) << "while the first is under way";
  EXPECT_EQ(watch(*clusters_, target), (Shown{"Updating", "Succeeded"}));
}

TEST_F(SimulatorInteropTest, TheLifeOfANodePool) {
  Target target = pool(RequestKind::create, ready_cluster());
  const auto created = run(node_pools_->submit(target));
  ASSERT_EQ(created.answer, Answer::accepted) << created.summary;
  target.internal_id = created.internal_id;
  EXPECT_EQ(watch(*node_pools_, target), (Shown{"Provisioning", "Succeeded"}));

  target.request = RequestKind::update;
  target.desired["replicas"] = 5;
  ASSERT_EQ(run(node_pools_->submit(target)).answer, Answer::accepted);
  EXPECT_EQ(run(node_pools_->submit(target)).answer, Answer::accepted) << "sent again while the first is under way";
  EXPECT_EQ(watch(*node_pools_, target), (Shown{"Updating", "Succeeded"}));

  target.request = RequestKind::remove;
  target.status = Status::deleting;
  ASSERT_EQ(run(node_pools_->submit(target)).answer, Answer::accepted);
  EXPECT_EQ(watch(*node_pools_, target), (Shown{"gone"}));
}

TEST_F(SimulatorInteropTest, HCP_002_ANodePoolWhoseAnswerWasLostIsFoundAsOurs) {
  Target target = pool(RequestKind::create, ready_cluster());
  target.created = clock.now();
  network.lose_next_answer = true;
  EXPECT_EQ(run(node_pools_->submit(target)).answer, Answer::unknown);
  const auto result = run(node_pools_->search(target));
  ASSERT_EQ(result.found.size(), 1u);
  EXPECT_EQ(result.found[0].incarnation, target.incarnation);
  EXPECT_EQ(run(node_pools_->submit(target)).answer, Answer::exists);
}

TEST_F(SimulatorInteropTest, HCP_017_CredentialsAreIssuedFoundReadAndRevoked) {
  Target request = BackendTest::target(RequestKind::action);
  request.action = "RequestCredential";
  request.parent_internal_id = ready_cluster();
  network.lose_next_answer = true;
  EXPECT_EQ(run(clusters_->submit(request)).answer, Answer::unknown);
  const auto found = run(clusters_->search(request)).found;
  ASSERT_EQ(found.size(), 1u);
  request.internal_id = found[0].internal_id;
  EXPECT_EQ(watch(*clusters_, request), (Shown{"Provisioning", "Succeeded"}));
  const auto result = run(clusters_->result(request));
  ASSERT_TRUE(result);
  EXPECT_NE(std::string(at(*result, "/kubeconfig").as_string()).find("apiVersion"), std::string::npos);

  Target revoke = request;
  revoke.action = "RevokeCredentials";
  revoke.internal_id.clear();
  const auto submission = run(clusters_->submit(revoke));
  ASSERT_EQ(submission.answer, Answer::accepted);
  revoke.internal_id = submission.internal_id;
  EXPECT_EQ(watch(*clusters_, revoke), (Shown{"Deleting", "Succeeded"}));
  EXPECT_EQ(run(clusters_->result(request)).error().kind, model::ErrorKind::not_found);
}

}  // namespace
}  // namespace acceptd::providers::cluster_service
