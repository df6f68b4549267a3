import type { Lifecycle } from '../base/lifecycle.js';
import {
  isSublError,
  SublError,
  type ErrorCode,
  type GatewayConfig,
  type JsonObject,
} from '@subluminal/core-types';
import type { Clock } from '../base/clock.js';
import { errorText, type Logger } from '../base/logger.js';
import { FileRefusals } from '../policy/refusals.js';
import type { Recorder } from '../recording/recorder.js';
import type { SettingsStore } from '../store/settings-store.js';
import { changeData, changesBetween, type SettingChange } from './changes.js';
import { FileWatch } from '../base/file-watch.js';
import { fileVersion } from '../base/file-version.js';
import type { ConfigFile } from './form.js';
import { inForce } from './in-force.js';
import { loadConfig, requireUsable, type UsableConfig } from './load.js';
import { loosenedSince, loosens } from './loosens.js';
import type { ConfigSection } from './section.js';

export interface SettingsParts {
  readonly file: ConfigFile;
  /** The settings as the start has read them. */
  readonly loaded: UsableConfig;
  readonly store: SettingsStore;
  readonly recorder: Pick<Recorder, 'append' | 'note'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Why `config.toml` is not what is in force. */
interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly help: string | undefined;
  readonly atMs: number;
}

/** An entry names at most so many changes. */
const MAX_CHANGES = 100;

/**
 * The settings in force. A changed `config.toml` takes effect once its entry is durable. A file with a
 * mistake changes nothing, and `state` says why.
 */
export class Settings implements Lifecycle {
  readonly name = 'settings';
  readonly #parts: SettingsParts;
  readonly #refusals: FileRefusals;
  readonly #watch: FileWatch;
  readonly #listeners: (() => void)[] = [];
  #now: GatewayConfig;
  #sha256: string | null;
  #loadedMs: number;
  /** Keys that the file has changed and only a start takes. */
  #waiting: readonly string[] = [];
  #problem: Problem | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: SettingsParts) {
    this.#parts = parts;
    this.#now = parts.loaded.config;
    this.#sha256 = parts.loaded.sha256;
    this.#loadedMs = parts.clock();
    this.#refusals = new FileRefusals(parts.recorder, parts.clock, 'settings_refused');
    this.#watch = new FileWatch({
      name: 'settings',
      stamp: () => fileVersion(parts.file.path),
      reload: () => this.reload(),
      isOwed: () => this.#problem?.code === 'audit_unavailable',
      log: parts.log,
    });
  }

  get now(): GatewayConfig {
    return this.#now;
  }

  /** The table of a wing, as it is in force. */
  of<T>(section: ConfigSection<T>): T {
    if (!this.#parts.file.form.sections.includes(section))
      throw new SublError('failed', `nobody reads the table \`${section.name}\` of config.toml`);
    // The form parsed it with this very schema.
    return new Map<string, unknown>(Object.entries(this.#now)).get(section.name) as T;
  }

  /** Has `listener` called when other settings are in force. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Records the changes that this start makes to the settings of the last gateway. Throws as the recorder
   * does.
   */
  async begin(): Promise<void> {
    const before = this.#parts.store.read();
    if (before === 'unknown') await this.#append({ before, changes: [], loosened: true, waiting: [] });
    else if (before !== 'none') {
      const { settings, meaning } = before;
      const isSame = settings.egress.mode === this.#now.egress.mode;
      await this.#record(settings, this.#now, [], isSame ? loosenedSince(meaning, this.#now) : []);
    }
    this.#remember();
  }

  /** Reads the file from now on whenever it changes, and once where it did since the start read it. */
  start(): void {
    this.#watch.start();
    void this.reload();
  }

  stop(): void {
    this.#watch.stop();
  }

  /** Reads the file again. One at a time. Never rejects. */
  reload(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#reload());
    return this.#turn;
  }

  /** For the operator: which file is in force, what of it waits for a start, and why it is not in force. */
  get state(): JsonObject {
    const problem = this.#problem;
    return {
      sha256: this.#sha256,
      loaded_at: new Date(this.#loadedMs).toISOString(),
      waiting: [...this.#waiting],
      error:
        problem === undefined
          ? null
          : {
              code: problem.code,
              message: problem.message,
              help: problem.help ?? null,
              at: new Date(problem.atMs).toISOString(),
            },
    };
  }

  async #reload(): Promise<void> {
    const { file, clock, log } = this.#parts;
    try {
      const { config, sha256 } = requireUsable(loadConfig(file));
      if (sha256 === this.#sha256 && this.#problem === undefined) return;
      const next = inForce(this.#now, config, file.form.sections);
      const waiting = changesBetween(next, config).map(({ key }) => key);
      await this.#record(this.#now, next, waiting, [], sha256).catch(unrecorded);
      this.#now = next;
      this.#sha256 = sha256;
      this.#waiting = waiting;
      this.#loadedMs = clock();
      this.#problem = undefined;
      this.#refusals.accepted();
      this.#remember();
      for (const listener of this.#listeners) listener();
      log.info('config.toml was read again', { sha256, waiting: waiting.length });
    } catch (error) {
      this.#keep(isSublError(error) ? error : new SublError('failed', errorText(error)));
    }
  }

  async #record(
    before: GatewayConfig,
    after: GatewayConfig,
    waiting: readonly string[],
    loosened: readonly SettingChange[],
    sha256 = this.#sha256,
  ): Promise<void> {
    const changes = [...changesBetween(before, after), ...loosened];
    if (changes.length === 0 && waiting.join() === this.#waiting.join()) return;
    await this.#append(
      {
        changes: changes.slice(0, MAX_CHANGES).map((change) => changeData(change)),
        loosened: loosened.length > 0 || loosens(before, after, this.#parts.file.form.sections),
        waiting: waiting.slice(0, MAX_CHANGES),
      },
      sha256,
    );
  }

  async #append(facts: JsonObject, sha256 = this.#sha256): Promise<void> {
    const { recorder, clock } = this.#parts;
    const data = { sha256, ...facts };
    await recorder.append({ entries: [{ type: 'settings_loaded', ts: clock(), runId: null, data }] });
  }

  /**
   * Keeps the settings in force for the next start. Where that fails they stay in force, and the next start
   * has nothing to compare with.
   */
  #remember(): void {
    try {
      this.#parts.store.write(this.#now);
    } catch (error) {
      this.#parts.log.warn('the settings in force could not be kept', { error: errorText(error) });
    }
  }

  #keep({ code, message, help }: SublError): void {
    const { clock, log } = this.#parts;
    const isNews = this.#problem?.message !== message;
    this.#problem = { code, message, help, atMs: clock() };
    if (isNews) log.warn('config.toml was not loaded; the settings of before stay', { code, error: message });
    if (code !== 'audit_unavailable') this.#refusals.note(`${code} ${message}`, { error: { code } });
  }
}

function unrecorded(cause: unknown): never {
  throw new SublError('audit_unavailable', 'config.toml was not loaded: its entry could not be recorded', {
    cause,
    help: 'look at `sub doctor`; the gateway tries again by itself',
  });
}
