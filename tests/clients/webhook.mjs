// An admission webhook as people write them for Node: node:https, the JavaScript client, a JSON
// patch in base64.
//
//   node webhook.mjs KEY CERTIFICATE NODE_MODULES     (KUBECONFIG in the environment)
//
// Prints its port. POST /mutate labels what it is asked about; POST /validate refuses what belongs
// to nobody who is in the config map "owners" of its namespace.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [keyFile, certificateFile, modules] = process.argv.slice(2);
const k8s = await import(
  pathToFileURL(path.join(modules, '@kubernetes/client-node/dist/index.js')).href);
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);

function refused(message) {
  return { allowed: false, status: { code: 403, message } };
}

const handlers = {
  '/mutate': async ({ object }) => {
    const patch = object.metadata.labels
      ? [{ op: 'add', path: '/metadata/labels/seen-by', value: 'node' }]
      : [{ op: 'add', path: '/metadata/labels', value: { 'seen-by': 'node' } }];
    return {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    };
  },
  '/validate': async ({ object, namespace, userInfo }) => {
    const owner = object.metadata.annotations?.owner;
    if (owner === undefined) return refused('who owns it?');
    // The server is asked while it waits.
    const owners = await core.readNamespacedConfigMap({ name: 'owners', namespace });
    if (!(owner in owners.data)) return refused(`there is no ${owner}`);
    return { allowed: true, warnings: [`checked for ${userInfo.username}`] };
  },
};

async function answer(request, chunks) {
  const { pathname } = new URL(request.url, 'https://webhook');
  const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(chunks));
  const response = { uid: asked.uid, ...(await handlers[pathname](asked)) };
  return JSON.stringify({ apiVersion, kind, response });
}

const secrets = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
const server = createServer(secrets, (request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    answer(request, chunks).then(
      (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body),
      (error) => response.writeHead(500).end(String(error)));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit()).resume();
