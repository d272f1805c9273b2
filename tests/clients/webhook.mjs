// An admission webhook as people write them for Node: node:https, JSON, a JSON patch in base64.
//
//   node webhook.mjs KEY CERTIFICATE
//
// Prints its port. POST /mutate labels what it is asked about; POST /validate refuses what has no
// owner.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

const [key, cert] = process.argv.slice(2).map((path) => readFileSync(path));

const handlers = {
  '/mutate': ({ object }) => {
    const patch = object.metadata.labels
      ? [{ op: 'add', path: '/metadata/labels/seen-by', value: 'node' }]
      : [{ op: 'add', path: '/metadata/labels', value: { 'seen-by': 'node' } }];
    return {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    };
  },
  '/validate': ({ object, userInfo }) => {
    const owned = object.metadata.annotations?.owner !== undefined;
    return owned
      ? { allowed: true, warnings: [`checked for ${userInfo.username}`] }
      : { allowed: false, status: { code: 403, message: 'who owns it?' } };
  },
};

const server = createServer({ key, cert }, (request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { pathname } = new URL(request.url, 'https://webhook');
    const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(chunks));
    const answer = { apiVersion, kind, response: { uid: asked.uid, ...handlers[pathname](asked) } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit()).resume();
