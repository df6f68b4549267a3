import { isSublError } from '@subluminal/core-types';
import type { MessagePort } from 'node:worker_threads';
import { openWriter } from '../schema/connection.js';
import { unpackGroups } from './packed-groups.js';
import { StoreDriver } from './store-driver.js';
import type { WorkerAnswer, WorkerRequest, WorkerStart } from './worker-protocol.js';

/** Answers on a message port for one store. */
export function serveStore(port: MessagePort, start: WorkerStart): void {
  const driver = new StoreDriver({ ...start, openDatabase: openWriter });
  port.on('message', (request: WorkerRequest) => {
    answer(driver, request).then(
      (message) => port.postMessage(message),
      (error: unknown) => port.postMessage(failure(error)),
    );
  });
}

async function answer(driver: StoreDriver, request: WorkerRequest): Promise<WorkerAnswer> {
  switch (request.do) {
    case 'open':
      return { ok: true, opened: await driver.open(request.nowMs) };
    case 'commit':
      return { ok: true, report: await driver.commit(unpackGroups(request.groups), request.nowMs) };
    case 'flush':
      return { ok: true, tip: await driver.flushHead(request.nowMs, request.reason) };
    case 'purge':
      return { ok: true, purged: await driver.purge() };
    case 'index':
      return { ok: true, indexed: await driver.index() };
    case 'rotate':
      return { ok: true, tip: await driver.rotate(request.nowMs) };
    case 'close':
      await driver.close();
      return { ok: true, done: true };
  }
}

function failure(error: unknown): WorkerAnswer {
  const message = error instanceof Error ? error.message : String(error);
  if (!isSublError(error)) return { ok: false, code: 'audit_unavailable', message };
  const { code, help } = error;
  return { ok: false, code, message, ...(help === undefined ? {} : { help }) };
}
