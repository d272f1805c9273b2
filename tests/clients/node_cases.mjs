// Cases for the JavaScript client; node_test.py runs them one at a time:
//
//     node node_cases.mjs NODE_MODULES CASE     (KUBECONFIG in the environment)
//
// A case that fails throws. A case that needs something done to the server prints a word and waits
// for a line on its standard input.
import assert from 'node:assert/strict';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const [modules, wanted] = process.argv.slice(2);
const k8s = await import(
  pathToFileURL(path.join(modules, '@kubernetes/client-node/dist/index.js')).href);

const namespace = 'node';
const waitMs = 120000;
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const mapsPath = `/api/v1/namespaces/${namespace}/configmaps`;

function configMap(name, data = {}, labels = {}) {
  return { metadata: { name, labels }, data };
}

function deployment(name) {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image: 'registry.example/app:1' }] },
      },
    },
  };
}

const make = (body) => core.createNamespacedConfigMap({ namespace, body });
const refused = (code, reason) => (error) => {
  assert.equal(error.code, code);
  assert.equal(JSON.parse(error.body).reason, reason);
  return true;
};

const answers = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
async function ask(word) {
  console.log(word);
  await answers.next();
}

// Calls a function again and again until it gives something true.
async function until(what, probe) {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const found = probe();
    if (found) return found;
    assert.ok(Date.now() < deadline, `it took too long until ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// Watches until an event that is the last; gives all of them.
function watchUntil(query, isLast) {
  return new Promise((resolve, reject) => {
    const events = [];
    new k8s.Watch(config).watch(mapsPath, query, (type, object) => {
      events.push([type, object]);
      if (isLast(type, object)) resolve(events);
    }, (error) => reject(error ?? new Error('the watch ended: ' + JSON.stringify(events))));
  });
}

// An informer that takes up its work again after trouble, as its users are told to.
function informerOf(list, labelSelector) {
  const informer = k8s.makeInformer(config, mapsPath, list, labelSelector);
  const seen = { added: [], updated: [], deleted: [], connects: 0, errors: [] };
  informer.on('add', (object) => seen.added.push(object.metadata.name));
  informer.on('update', (object) => seen.updated.push(object.metadata.name));
  informer.on('delete', (object) => seen.deleted.push(object.metadata.name));
  informer.on('connect', () => { seen.connects += 1; });
  informer.on('error', (error) => {
    seen.errors.push(String(error));
    setTimeout(() => informer.start(), 100);
  });
  return { informer, seen };
}

const cases = {
  async objects() {
    const made = await make(configMap('life', { a: '1' }));
    assert.deepEqual(made.data, { a: '1' });
    assert.ok(made.metadata.creationTimestamp instanceof Date);
    const read = await core.readNamespacedConfigMap({ name: 'life', namespace });
    assert.equal(read.metadata.uid, made.metadata.uid);
    read.data = { a: '2' };
    const replaced = await core.replaceNamespacedConfigMap({ name: 'life', namespace, body: read });
    assert.notEqual(replaced.metadata.resourceVersion, made.metadata.resourceVersion);
    const list = await core.listNamespacedConfigMap({ namespace });
    assert.ok(list.items.some((item) => item.metadata.name === 'life'));
    await core.deleteNamespacedConfigMap({ name: 'life', namespace });
    await assert.rejects(core.readNamespacedConfigMap({ name: 'life', namespace }),
                         refused(404, 'NotFound'));
  },

  async refusals() {
    const old = await make(configMap('contended', { a: '1' }));
    await assert.rejects(make(configMap('contended')), refused(409, 'AlreadyExists'));
    await core.replaceNamespacedConfigMap(
      { name: 'contended', namespace, body: configMap('contended', { a: '2' }) });
    await assert.rejects(
      core.replaceNamespacedConfigMap({ name: 'contended', namespace, body: old }),
      refused(409, 'Conflict'));
    await assert.rejects(make(configMap('Not_A_Name')), refused(422, 'Invalid'));
  },

  async patches() {
    await apps.createNamespacedDeployment({ namespace, body: deployment('patched') });
    const patched = async (strategy, body) => {
      const found = await apps.patchNamespacedDeployment(
        { name: 'patched', namespace, body }, k8s.setHeaderOptions('Content-Type', strategy));
      return found.spec.template.spec.containers.map((container) => container.name);
    };
    const sidecar = { name: 'sidecar', image: 'registry.example/sidecar:1' };
    const body = { spec: { template: { spec: { containers: [sidecar] } } } };
    assert.deepEqual((await patched(k8s.PatchStrategy.StrategicMergePatch, body)).sort(),
                     ['app', 'sidecar']);
    assert.deepEqual(await patched(k8s.PatchStrategy.MergePatch, body), ['sidecar']);
    assert.deepEqual(await patched(k8s.PatchStrategy.JsonPatch, [{
      op: 'replace', path: '/spec/template/spec/containers/0/name', value: 'renamed',
    }]), ['renamed']);
  },

  async subresources() {
    await apps.createNamespacedDeployment({ namespace, body: deployment('scaled') });
    const scale = await apps.readNamespacedDeploymentScale({ name: 'scaled', namespace });
    scale.spec.replicas = 4;
    await apps.replaceNamespacedDeploymentScale({ name: 'scaled', namespace, body: scale });
    const found = await apps.readNamespacedDeploymentStatus({ name: 'scaled', namespace });
    assert.equal(found.spec.replicas, 4);
  },

  async pages() {
    for (const number of [0, 1, 2, 3, 4]) {
      await make(configMap(`page-${number}`, {}, { set: 'pages' }));
    }
    const names = [];
    let next;
    do {
      const page = await core.listNamespacedConfigMap(
        { namespace, labelSelector: 'set=pages', limit: 2, _continue: next });
      assert.ok(page.items.length <= 2);
      names.push(...page.items.map((item) => item.metadata.name));
      next = page.metadata._continue;
    } while (next);
    assert.deepEqual(names, ['page-0', 'page-1', 'page-2', 'page-3', 'page-4']);
  },

  async kubernetesObjects() {
    const objects = k8s.KubernetesObjectApi.makeApiClient(config);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', ...configMap('generic', { a: '1' }) };
    body.metadata.namespace = namespace;
    await objects.create(body);
    assert.deepEqual((await objects.read(body)).data, { a: '1' });
    body.data = { a: '2' };
    assert.deepEqual((await objects.patch(body)).data, { a: '2' });
    await objects.delete(body);
  },

  async watchFromVersion() {
    const list = await core.listNamespacedConfigMap({ namespace });
    await make(configMap('since', { a: '1' }));
    await core.replaceNamespacedConfigMap(
      { name: 'since', namespace, body: configMap('since', { a: '2' }) });
    await core.deleteNamespacedConfigMap({ name: 'since', namespace });
    const events = await watchUntil(
      { resourceVersion: list.metadata.resourceVersion, fieldSelector: 'metadata.name=since' },
      (type) => type === 'DELETED');
    assert.deepEqual(events.map(([type, object]) => [type, object.data.a]),
                     [['ADDED', '1'], ['MODIFIED', '2'], ['DELETED', '2']]);
  },

  async watchOfWhatIsGone() {
    const [[type, status]] = await watchUntil({ resourceVersion: '1' }, () => true);
    assert.equal(type, 'ERROR');
    assert.equal(status.code, 410);
    assert.equal(status.reason, 'Expired');
  },

  async informerStartsOverAfterExpiry() {
    await make(configMap('expiry', {}, { expiry: 'yes' }));
    let lists = 0;
    const { informer, seen } = informerOf(async () => {
      const list = await core.listNamespacedConfigMap({ namespace, labelSelector: 'expiry=yes' });
      // The first list pretends to be from long ago.
      if (lists++ === 0) list.metadata.resourceVersion = '1';
      return list;
    }, 'expiry=yes');
    await informer.start();
    await until(() => `it lists again, after ${JSON.stringify(seen)}`, () => lists > 1);
    await make(configMap('after-expiry', {}, { expiry: 'yes' }));
    await until(() => 'it sees the next object', () => informer.get('after-expiry', namespace));
    assert.deepEqual(seen.added, ['expiry', 'after-expiry']);
    await informer.stop();
  },

  async informerAcrossRestarts() {
    const labels = { informed: 'yes' };
    const { informer, seen } = informerOf(
      () => core.listNamespacedConfigMap({ namespace, labelSelector: 'informed=yes' }),
      'informed=yes');
    const has = (name) => until(() => `${name} is seen: ${JSON.stringify(seen)}`,
                                () => informer.get(name, namespace));
    await make(configMap('first', {}, labels));
    await informer.start();
    await has('first');
    await make(configMap('second', {}, labels));
    await has('second');
    await ask('restart');
    await make(configMap('third', {}, labels));
    await has('third');
    await ask('kill');
    await make(configMap('fourth', {}, labels));
    await core.deleteNamespacedConfigMap({ name: 'first', namespace });
    await has('fourth');
    await until(() => 'first is gone', () => !informer.get('first', namespace));
    const names = informer.list(namespace).map((object) => object.metadata.name).sort();
    assert.deepEqual(names, ['fourth', 'second', 'third']);
    assert.deepEqual(seen.added, ['first', 'second', 'third', 'fourth']);
    assert.deepEqual(seen.deleted, ['first']);
    await informer.stop();
  },
};

await cases[wanted]();
process.exit(0);
