import { isSublError, SublError } from '@subluminal/core-types';
import type { Logger } from '@subluminal/gateway';
import { amongAbove } from '../place/folders.js';
import { closedProjectPolicy, compileProjectPolicy, type ProjectPolicy } from './project-policy.js';
import type { ProjectStore, TrustedText } from './project-store.js';

/** Policy files that are trusted at once. */
const MAX_TRUSTED = 64;

export interface TrustedParts {
  readonly store: Pick<ProjectStore, 'all' | 'remove' | 'write'>;
  /** The home of the account. */
  readonly home: string;
  /** Called after each change. */
  readonly changed: () => void;
  readonly log: Logger;
}

/**
 * The policies of projects that the operator trusts, by the path of their file. The text that was trusted
 * decides: no file is read for a call, so that nothing an agent does to one has an effect.
 */
export class TrustedPolicies {
  readonly #parts: TrustedParts;
  readonly #trusted: Map<string, TrustedText>;
  readonly #policies = new Map<string, ProjectPolicy>();

  constructor(parts: TrustedParts) {
    this.#parts = parts;
    this.#trusted = new Map(parts.store.all().map((one) => [one.file, one]));
  }

  /** Every trusted file, by its path. */
  get all(): readonly TrustedText[] {
    return [...this.#trusted.values()].toSorted((one, other) => (one.file < other.file ? -1 : 1));
  }

  get size(): number {
    return this.#trusted.size;
  }

  find(file: string): TrustedText | undefined {
    return this.#trusted.get(file);
  }

  /** The files that bind a run which works in these folders. */
  above(folders: readonly string[]): readonly string[] {
    if (this.size === 0) return [];
    const trusted = [...this.#trusted.keys()];
    return [...new Set(folders.flatMap((folder) => amongAbove(trusted, folder, this.#parts.home)))];
  }

  /** The policy that binds the runs in this file's folder; undefined if nobody trusts one. */
  policy(file: string): ProjectPolicy | undefined {
    const trusted = this.#trusted.get(file);
    if (trusted === undefined) return undefined;
    const known = this.#policies.get(file);
    if (known !== undefined) return known;
    const policy = this.#compiled(trusted);
    this.#policies.set(file, policy);
    return policy;
  }

  /** @throws SublError `policy_invalid`, `overloaded`. */
  trust(trusted: TrustedText): ProjectPolicy {
    const policy = compileProjectPolicy(trusted.file, trusted.text);
    if (!this.#trusted.has(trusted.file) && this.#trusted.size >= MAX_TRUSTED)
      throw new SublError('overloaded', `${MAX_TRUSTED} policy files of projects are trusted`, {
        help: '`sub policy show --projects` lists them, `sub policy untrust` takes one away',
      });
    this.#parts.store.write(trusted);
    this.#trusted.set(trusted.file, trusted);
    this.#policies.set(trusted.file, policy);
    this.#parts.changed();
    return policy;
  }

  /** Tells whether the file was trusted until now. */
  untrust(file: string): boolean {
    if (!this.#trusted.has(file)) return false;
    this.#parts.store.remove(file);
    this.#trusted.delete(file);
    this.#policies.delete(file);
    this.#parts.changed();
    return true;
  }

  #compiled({ file, text }: TrustedText): ProjectPolicy {
    try {
      return compileProjectPolicy(file, text);
    } catch (error) {
      if (!isSublError(error, 'policy_invalid')) throw error;
      this.#parts.log.error('a trusted policy cannot be read any more: its project is closed', { file });
      return closedProjectPolicy(file, text);
    }
  }
}
