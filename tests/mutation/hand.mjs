import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
/** No question takes as long, however busy the machine is. */
const SILENT_MS = 600_000;
/** After so many questions a fresh process: tests that failed leave things open. */
const MOST_ASKED = 150;

/** A process that is asked one question after the other, and replaced where one ends it. */
export class Hand {
  #folder;
  #child;
  #asked = 0;

  /** @param {string} folder what tests that fail leave behind goes there */
  constructor(folder) {
    this.#folder = folder;
  }

  /** @returns {Promise<object | undefined>} the answer; undefined where the process ended over it */
  ask(question) {
    if (this.#asked === MOST_ASKED) this.close();
    this.#child ??= fork(WORKER, [], {
      env: { ...process.env, TMPDIR: this.#folder },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const child = this.#child;
    this.#asked += 1;
    return new Promise((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), SILENT_MS);
      const end = (answer) => {
        clearTimeout(timer);
        child.off('message', end);
        child.off('exit', ended);
        resolve(answer);
      };
      const ended = () => {
        this.#forget();
        end(undefined);
      };
      child.on('message', end);
      child.on('exit', ended);
      child.send(question);
    });
  }

  close() {
    this.#child?.kill('SIGKILL');
    this.#forget();
  }

  #forget() {
    this.#child = undefined;
    this.#asked = 0;
  }
}
