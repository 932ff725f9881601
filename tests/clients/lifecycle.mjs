// The JavaScript management client, unmodified, through a resource's whole life. Reads what to do from standard input as
// JSON {endpoint, subscription, clusterId, clusterBody, poolId, poolBody, apiVersion, fails}; prints what it saw as JSON.
import {readFileSync} from 'node:fs';
import {ResourceManagementClient} from '@azure/arm-resources';
import {createHttpPoller} from '@azure/core-lro';

const task = JSON.parse(readFileSync(0, 'utf8'));
const version = name => JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url))).version;
const credential = {getToken: async () => ({token: 'unused', expiresOnTimestamp: Date.now() + 3_600_000})};
const client = new ResourceManagementClient(credential, task.subscription, {endpoint: task.endpoint, allowInsecureConnection: true});
client.pipeline.removePolicy({name: 'bearerTokenAuthenticationPolicy'});
const headers = {'x-ms-home-tenant-id': task.tenant, 'x-ms-client-object-id': task.client};
const options = {updateIntervalInMs: 20, requestOptions: {customHeaders: headers}};
const {resources} = client;
const saw = {versions: {node: process.version, '@azure/arm-resources': version('@azure/arm-resources'), '@azure/core-lro': version('@azure/core-lro')}};

/** An action, which the client has no method for: the polling engine itself, on both headers as a caller would find them. */
async function act(name) {
  const send = async (method, path) => {
    const url = path.startsWith('http') ? path : task.endpoint + path;
    const response = await fetch(url, {method, headers});
    const text = await response.text();
    const answer = {statusCode: response.status, headers: Object.fromEntries(response.headers), body: text ? JSON.parse(text) : undefined,
      request: {method, url}};
    return {flatResponse: answer, rawResponse: answer};
  };
  const path = `${task.clusterId}/${name}?api-version=${task.apiVersion}`;
  const poller = createHttpPoller({sendInitialRequest: () => send('POST', path), sendPollRequest: url => send('GET', url)},
    {intervalInMs: 20, resourceLocationConfig: 'location'});
  const result = await poller.pollUntilDone();
  return {status: poller.operationState?.status, result};
}

async function failing(work) {
  try {
    await work();
    return null;
  } catch (error) {
    return {code: error.code, message: error.message, name: error.name};
  }
}

if (task.fails) {
  saw.failure = await failing(() => resources.beginCreateOrUpdateByIdAndWait(task.clusterId, task.apiVersion, task.clusterBody, options));
  saw.after = await resources.getById(task.clusterId, task.apiVersion, options);
} else {
  saw.created = await resources.beginCreateOrUpdateByIdAndWait(task.clusterId, task.apiVersion, task.clusterBody, options);
  saw.pool = await resources.beginCreateOrUpdateByIdAndWait(task.poolId, task.apiVersion, task.poolBody, options);
  saw.patched = await resources.beginUpdateByIdAndWait(task.clusterId, task.apiVersion, {tags: {changed: 'yes'}}, options);
  saw.read = await resources.getById(task.clusterId, task.apiVersion, options);
  saw.action = await act('requestAdminCredential');
  await resources.beginDeleteByIdAndWait(task.clusterId, task.apiVersion, options);
  saw.gone = await failing(() => resources.getById(task.clusterId, task.apiVersion, options));
  await resources.beginDeleteByIdAndWait(task.clusterId, task.apiVersion, options);  // nothing there: 204
}
console.log(JSON.stringify(saw));
