import { objectAt, textAt } from '@subluminal/core-types';
import { hostsInText, shown, type Place, type Readings } from '@subluminal/readings';
import { connectionOf } from '../connections/connection.js';
import type { CallRecord } from '../record.js';
import { Tally } from './tally.js';
import type { ReportedCommand, ReportedFile, ReportedHost } from './report.js';

/** The files, commands and hosts of calls that ran. */
export class Effects {
  readonly files = new Tally<ReportedFile>();
  readonly commands = new Tally<ReportedCommand>();
  readonly hosts = new Tally<ReportedHost>();
  readonly #isOneRun: boolean;

  /** In a report of one run, files of its project go by their places there. */
  constructor(isOneRun: boolean) {
    this.#isOneRun = isOneRun;
  }

  /** A call that ran. The layer tells by itself of files that one in a layer writes. */
  call(
    record: CallRecord,
    readings: Readings,
    { hasFailed, isLayered }: { readonly hasFailed: boolean; readonly isLayered: boolean },
  ): void {
    const named = new Map<string, 'deletes' | 'reads' | 'writes'>();
    for (const { forms, access } of readings.paths) {
      const [form] = forms;
      if (form === undefined || access === 'look' || (isLayered && access !== 'read')) continue;
      const use = access === 'read' ? 'reads' : access === 'delete' ? 'deletes' : 'writes';
      named.set(JSON.stringify([this.#name(form, readings.place), use]), use);
    }
    for (const [key, use] of named) {
      const [path = '']: string[] = JSON.parse(key);
      const file = this.files.at(path, (name) => ({ path: name, reads: 0, writes: 0, deletes: 0 }));
      if (file !== undefined) file[use] += 1;
    }
    if (readings.commands.length > 0) {
      const text = readings.commands.map(({ argv }) => shown(argv)).join('; ');
      const command = this.commands.at(record.object ?? text, (name) => ({
        command: name,
        times: 0,
        failed: 0,
      }));
      if (command !== undefined) {
        command.times += 1;
        command.failed += hasFailed ? 1 : 0;
      }
    }
    for (const host of new Set(readings.hosts)) this.#host(host);
  }

  /** An action that was done: a connection, or a request of a service. */
  action(record: CallRecord): void {
    const connection = connectionOf(record);
    if (connection === undefined) {
      for (const host of new Set(hostsInText(textAt(record.first.data, 'destination')))) this.#host(host);
      return;
    }
    const host = this.#at(connection.place);
    if (host === undefined) return;
    host.connections += 1;
    host.bytesUp += connection.bytesUp ?? 0;
    host.bytesDown += connection.bytesDown ?? 0;
  }

  #at(name: string): ReportedHost | undefined {
    const none = { calls: 0, connections: 0, bytesUp: 0, bytesDown: 0 };
    return this.hosts.at(name, (host) => ({ host, ...none }));
  }

  #host(name: string): void {
    const host = this.#at(shown(name));
    if (host !== undefined) host.calls += 1;
  }

  #name(form: string, { home, project }: Place | Readings['place']): string {
    const within = (folder: string | undefined): string | undefined =>
      folder !== undefined && folder !== '/' && form.startsWith(`${folder}/`)
        ? form.slice(folder.length + 1)
        : undefined;
    const inProject = this.#isOneRun ? within(project) : undefined;
    if (inProject !== undefined) return shown(inProject);
    const inHome = within(home);
    return shown(inHome === undefined ? form : `~/${inHome}`);
  }
}

/** Whether a part of what a call is about was not read. */
export function isUnread({ unread }: Readings): boolean {
  return Object.values(unread).some((why) => why !== null);
}

/** Whether the policy only observed, and would have refused the call. */
export function isObserved({ decision }: CallRecord): boolean {
  return textAt(objectAt(decision?.data ?? null, 'decision'), 'shadow') !== '';
}
