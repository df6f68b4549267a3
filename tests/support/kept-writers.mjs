// Imported by each process of the tests before all else. A ledger that a test opens in its own process is
// written by a thread, and to start one costs more than all else that a gateway does when it starts. Here a
// thread that has closed a ledger writes the next one, and runs one file (`programs.ts`) instead of three
// hundred. A thread that has not closed its ledger ends, as it does beside the gateway that is shipped.
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads from 'node:worker_threads';

const WRITTEN = new URL('../../packages/ledger/dist/writer/worker-main.js', import.meta.url).href;
const BUNDLED = pathToFileURL(
  fileURLToPath(new URL('../../node_modules/.cache/subluminal-tests/writer-thread.js', import.meta.url)),
);
/** So many threads wait for a ledger; most tests open one or two at once. */
const MOST = 3;

const { Worker, MessageChannel } = threads;
/** @type {import('node:worker_threads').Worker[]} */
const idle = [];

/** As much of a `Worker` as the ledger uses. */
class Writer extends EventEmitter {
  #thread = idle.pop() ?? new Worker(BUNDLED, { execArgv: [] });
  #port;
  #isClosed = false;

  /** @param {unknown} start */
  constructor(start) {
    super();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message) => {
      this.#isClosed ||= message.ok && message.done === true;
      this.emit('message', message);
    });
    this.#thread.on('error', this.#onError).on('exit', this.#onExit).ref();
    this.#thread.postMessage({ port: port2, start }, [port2]);
  }

  /** @param {unknown} message */
  postMessage(message) {
    this.#port.postMessage(message);
  }

  async terminate() {
    this.#port.close();
    const thread = this.#thread;
    if (!this.#isClosed || idle.length >= MOST || thread.threadId < 0) return thread.terminate();
    thread.off('error', this.#onError).off('exit', this.#onExit).unref();
    idle.push(thread);
    this.emit('exit', 1);
    return 1;
  }

  #onError = (/** @type {unknown} */ error) => this.emit('error', error);
  #onExit = (/** @type {number} */ code) => this.emit('exit', code);
}

/** @type {any} */ (threads).Worker = class extends Worker {
  /** @param {string | URL} program @param {import('node:worker_threads').WorkerOptions} [options] */
  constructor(program, options) {
    if (program instanceof URL && program.href === WRITTEN) return new Writer(options?.workerData);
    super(program, { execArgv: [], ...options });
  }
};
syncBuiltinESMExports();
