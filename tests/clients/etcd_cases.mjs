// Cases for the JavaScript client of etcd; etcd_test.py runs them one at a time:
//
//     node etcd_cases.mjs NODE_MODULES ENDPOINT CASE
//
// A case that fails throws.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';

const [modules, endpoint, wanted] = process.argv.slice(2);
const require = createRequire(path.join(modules, 'etcd3', 'package.json'));
const { Etcd3 } = require('etcd3');
const client = new Etcd3({ hosts: endpoint });

async function keys() {
  assert.equal(await client.get('js/none'), null);
  await client.put('js/a').value('1');
  await client.put('js/b').value('2');
  assert.equal(await client.get('js/a').string(), '1');
  assert.deepEqual(await client.getAll().prefix('js/').strings(), { 'js/a': '1', 'js/b': '2' });
  assert.deepEqual(await client.getAll().prefix('js/').sort('Key', 'Descend').limit(1).keys(),
                   ['js/b']);
  assert.equal(await client.getAll().prefix('js/').count(), 2);
  const gone = await client.delete().prefix('js/').getPrevious();
  assert.equal(gone.length, 2);
}

async function transactions() {
  const swap = (from, to) => client.if('js/n', 'Value', '==', from)
    .then(client.put('js/n').value(to)).else(client.get('js/n')).commit();
  await client.put('js/n').value('1');
  assert.equal((await swap('1', '2')).succeeded, true);
  const refused = await swap('1', '3');
  assert.equal(refused.succeeded, false);
  assert.equal(refused.responses[0].response_range.kvs[0].value.toString(), '2');
  const created = await client.if('js/new', 'Create', '==', 0)
    .then(client.put('js/new').value('x')).commit();
  assert.equal(created.succeeded, true);
  // Reads, decides and tries again: many at once lose no step.
  await client.put('js/count').value('0');
  await Promise.all(Array.from({ length: 5 }, () => client.stm({ retries: 100 }).transact(async (tx) => {
    await tx.put('js/count').value(Number(await tx.get('js/count').string()) + 1);
  })));
  assert.equal(await client.get('js/count').number(), 5);
}

async function watches() {
  const watcher = await client.watch().prefix('js/w').withPreviousKV().create();
  const seen = [];
  const done = new Promise((resolve) => {
    const note = (kind) => (kv, before) => {
      seen.push(`${kind} ${kv.key} ${kv.value} ${before ? before.value : ''}`.trim());
      if (seen.length === 3) resolve();
    };
    watcher.on('put', note('put'));
    watcher.on('delete', note('delete'));
  });
  await client.put('js/w1').value('a');
  await client.put('js/w1').value('b');
  await client.delete().key('js/w1');
  await done;
  assert.deepEqual(seen, ['put js/w1 a', 'put js/w1 b a', 'delete js/w1  b']);
  await watcher.cancel();
}

async function leases() {
  const lease = client.lease(300, { autoKeepAlive: false });
  await lease.put('js/leased').value('x');
  const id = await lease.grant();
  assert.ok(id);
  await lease.keepaliveOnce();
  await lease.revoke();
  assert.equal(await client.get('js/leased'), null);
  const lock = client.lock('js/lock');
  await lock.acquire();
  await assert.rejects(client.lock('js/lock').acquire());
  await lock.release();
}

// Prints each key that was acknowledged, until the server goes.
async function load() {
  const write = async (worker) => {
    for (let i = 0; ; ++i) {
      const key = `load/${process.pid}/${worker}/${i}`;
      await client.put(key).value('x'.repeat(200));
      process.stdout.write(`${key}\n`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, (_, worker) => write(worker).catch(() => {})));
}

const cases = { keys, transactions, watches, leases, load };
await cases[wanted]();
client.close();
