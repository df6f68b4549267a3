import { describe, expect, it } from 'vitest';
import { openInThread, Scratch, SIGNING_KEY } from '../../testing/scratch.js';
import { WorkerDriver } from './worker-driver.js';

/** A thread that answers `open` and ends in the middle of the first commit. */
const DYING = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (request) => {
      if (request.do !== 'open') process.exit(1);
      parentPort.postMessage({ ok: true, opened: { genesis: {}, tip: { seq: 0, leaf: '' }, memory: 'off' } });
    });
  `)}`,
);

function driver(scratch: Scratch, url: URL): WorkerDriver {
  const { path, sealKey: sealKeyPath } = scratch;
  return new WorkerDriver({ path, sealKeyPath, privateKey: SIGNING_KEY, durability: 'process' }, url);
}

describe('the thread that writes', () => {
  it('leaves the outcome unknown when it dies, and every later call fails at once', async () => {
    const scratch = new Scratch();
    const dying = driver(scratch, DYING);
    await dying.open(1);
    await expect(dying.commit([], 1)).rejects.toMatchObject({ code: 'audit_unavailable' });
    await expect(dying.commit([], 1)).rejects.toMatchObject({ code: 'audit_unavailable' });
    await dying.close();
    scratch.remove();
  });

  it('is reported when it cannot be started', async () => {
    const scratch = new Scratch();
    const missing = driver(scratch, new URL('file:///nonexistent/worker-main.js'));
    await expect(missing.open(1)).rejects.toMatchObject({ code: 'audit_unavailable' });
    await missing.close();
    scratch.remove();
  });

  it('passes on why a ledger was refused', async () => {
    const scratch = new Scratch();
    const opening = scratch.open({}, openInThread);
    await expect(opening).rejects.toMatchObject({ code: 'ledger_missing' });
    scratch.create();
    await (await scratch.open({}, openInThread)).close();
    scratch.remove();
  });
});
