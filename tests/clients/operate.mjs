// The JavaScript management client, or its polling engine alone, through one operation. Reads what to do from standard input as
// JSON; says "started" once the first answer is there, and prints how the operation ended as JSON.
import {readFileSync} from 'node:fs';
import {ResourceManagementClient} from '@azure/arm-resources';
import {createHttpPoller} from '@azure/core-lro';

const task = JSON.parse(readFileSync(0, 'utf8'));
const headers = {'x-ms-home-tenant-id': task.tenant, 'x-ms-client-object-id': task.client};
const intervalInMs = 20;
const installed = name => JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url))).version;
const versions = {node: process.version, '@azure/arm-resources': installed('@azure/arm-resources'), '@azure/core-lro': installed('@azure/core-lro')};
const polled = [];

function begin() {
  const credential = {getToken: async () => ({token: 'unused', expiresOnTimestamp: Date.now() + 3_600_000})};
  const client = new ResourceManagementClient(credential, task.subscription, {endpoint: task.endpoint, allowInsecureConnection: true});
  client.pipeline.removePolicy({name: 'bearerTokenAuthenticationPolicy'}); // it refuses plain HTTP
  const options = {updateIntervalInMs: intervalInMs, requestOptions: {customHeaders: headers}};
  switch (task.verb) {
    case 'PUT': return client.resources.beginCreateOrUpdateById(task.path, task.apiVersion, task.body, options);
    case 'PATCH': return client.resources.beginUpdateById(task.path, task.apiVersion, task.body, options);
    case 'DELETE': return client.resources.beginDeleteById(task.path, task.apiVersion, options);
    default: throw new Error(`the management client has no method for ${task.verb}`);
  }
}

/** The engine with a transport of our own, which writes down what is polled. */
async function beginWithEngine() {
  const send = async (method, url, body) => {
    const response = await fetch(url, {method, headers: {...headers, 'content-type': 'application/json'}, body: body && JSON.stringify(body)});
    const text = await response.text();
    const answer = {statusCode: response.status, headers: Object.fromEntries(response.headers), body: text ? JSON.parse(text) : undefined,
      request: {method, url}};
    if (response.status >= 400) throw Object.assign(new Error(text), {statusCode: response.status, code: answer.body?.error?.code});
    return {flatResponse: answer.body, rawResponse: answer};
  };
  const poller = createHttpPoller({
    sendInitialRequest: () => send(task.verb, `${task.endpoint}${task.path}?api-version=${task.apiVersion}`, task.body),
    sendPollRequest: async url => {
      polled.push(new URL(url, task.endpoint).pathname);
      return send('GET', new URL(url, task.endpoint).href);
    },
  }, {intervalInMs, resourceLocationConfig: task.verb === 'PUT' ? 'azure-async-operation' : 'location'});
  await poller.submitted();
  return {pollUntilDone: () => poller.pollUntilDone()}; // the poller itself is a promise: returning it would wait for the end
}

try {
  const poller = task.engine ? await beginWithEngine() : await begin();
  console.log('started');
  const result = await poller.pollUntilDone();
  console.log(JSON.stringify({outcome: 'succeeded', result, polled, versions}));
} catch (error) {
  console.log(JSON.stringify({outcome: 'failed', code: error.code, status: error.statusCode, text: `${error.message} ${JSON.stringify(error.details ?? '')}`,
    polled, versions}));
}
