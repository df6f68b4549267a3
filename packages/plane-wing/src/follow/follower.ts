import {
  type HookContextPayload,
  listAt,
  objectAt,
  startOf,
  textAt,
  type ToolCallBeginPayload,
  valueAt,
} from '@subluminal/core-types';
import type { CodeName, EntryType } from '@subluminal/ledger';
import {
  actionTold,
  type Form,
  formOf,
  kindOf,
  lifeTold,
  type PlaneEvent,
  type ToldEntry,
} from '@subluminal/plane';
import { argsIn, objectIn } from '@subluminal/records';
import { Folders } from './folders.js';
import { Links } from './links.js';
import { MAX_TARGET, type OpenCall, OpenCalls } from './open-calls.js';
import { type Speaker, speakerNamed } from './speaker.js';

/** An entry of the record, as it was written or as it is read again. */
export interface FollowedEntry extends ToldEntry {
  readonly type: EntryType;
  readonly runId: string | null;
  readonly code: CodeName | null;
  /** The preview of a call's arguments; null where there is none. */
  readonly preview: string | null;
}

/** An event of an agent, and whose it is. */
export interface Told {
  readonly runId: string;
  readonly speaker: Speaker;
  /** The number of its entry in the record. */
  readonly seq: number;
  readonly event: PlaneEvent;
  /** The session that this one goes on from, under another id. */
  readonly forkOf: Speaker | undefined;
}

/** The client's own id of a call, in the order in which it is looked for. */
const ID_KEYS = ['tool_use_id', 'claudecode/toolUseId', 'callId'] as const;

/**
 * Turns entries into events of agents, each call into one: a message and a hook that tell the same call are
 * one event, when its end is told first.
 */
export class Follower {
  readonly folders: Folders;
  readonly links = new Links();
  readonly #open = new OpenCalls();
  readonly #form: () => Form | undefined;

  /**
   * `folderOf`: the folder that a run works in, if it lives and says so. `form`: that of a checkpoint, if one
   * is configured.
   */
  constructor(folderOf: (runId: string) => string, form: () => Form | undefined) {
    this.folders = new Folders(folderOf);
    this.#form = form;
  }

  /** The calls that have begun and not ended, for the next process. */
  get open(): Iterable<OpenCall> {
    return this.#open.all;
  }

  restore(calls: readonly OpenCall[]): void {
    for (const call of calls) this.#open.add(call);
  }

  /** The event that an entry completes; undefined where it completes none. */
  take(entry: FollowedEntry): Told | undefined {
    const { runId } = entry;
    if (runId === null) return undefined;
    switch (entry.type) {
      case 'run_start':
        this.folders.note(runId, textAt(entry.data, 'workload', 'repo_path'));
        return undefined;
      case 'tool_call_start':
        this.#begins(runId, entry);
        return undefined;
      case 'tool_call_decision':
        this.#decided(runId, entry);
        return undefined;
      case 'tool_call_end':
        return this.#ends(this.#open.take(runId, textAt(entry.data, 'call', 'call_id')), entry.code);
      case 'hook_event':
        return this.#hooked(runId, entry);
      case 'run_end':
        this.#open.forgetRun(runId);
        this.links.forget(runId);
        return undefined;
      default:
        return undefined;
    }
  }

  /** The agent that asks for a call. */
  speakerOf(runId: string, { context = {}, via }: Pick<ToolCallBeginPayload, 'context' | 'via'>): Speaker {
    const data = { call: { context, ...(via === undefined ? {} : { via }) } };
    return this.#speakerOf(runId, data, idOf(data));
  }

  /** The same, if a hook tells whose call it is; undefined where that is only likely. */
  toldSpeakerOf(runId: string, call: Pick<ToolCallBeginPayload, 'context' | 'via'>): Speaker | undefined {
    if (isHook(call.via ?? '')) return this.speakerOf(runId, call);
    return this.links.linked(runId, idOf({ call: { context: call.context ?? {} } }));
  }

  /** Whether a change of that run is under way: whether it succeeds will be told by its end. */
  isChanging(runId: string): boolean {
    for (const open of this.#open.all) {
      if (open.runId !== runId || open.refused) continue;
      const { call, seq, target, tool, ts } = open;
      const outcome = { target: target ?? undefined, code: undefined, isRefused: false, form: undefined };
      const told = actionTold({ seq, ts, tool, data: { call } }, outcome);
      if (told?.event.kind === 'action' && kindOf(told.event) === 'change') return true;
    }
    return false;
  }

  /** The end of a call that a hook tells of before it is recorded; undefined where no such call is open. */
  ended(runId: string, { status, tool_use_id: id, via }: HookContextPayload): Told | undefined {
    if (id === undefined || status === undefined) return undefined;
    // Codex ends every call alike.
    return this.#ends(this.#open.takeNamed(runId, id), via === 'codex_hook' ? null : status);
  }

  #begins(runId: string, { data, preview, seq, tool, ts }: FollowedEntry): void {
    if (tool === undefined || tool === null || typeof tool === 'string') return;
    const id = idOf(data);
    const target = objectIn(tool, preview, {});
    const call = objectAt(data, 'call') ?? {};
    const speaker = this.#speakerOf(runId, data, id);
    // The first message of a server comes behind a hook that could not know of it yet.
    if (id !== undefined && isHook(textAt(call, 'via')) && !tool[0].endsWith(':builtin'))
      this.links.link(runId, id, speaker);
    this.#open.add({
      runId,
      callId: textAt(call, 'call_id'),
      id: id ?? '',
      seq,
      ts,
      tool: [tool[0], tool[1]],
      call: {
        ...('via' in call ? { via: textAt(call, 'via') } : {}),
        cwd: textAt(call, 'cwd'),
        tags: valueAt(call, 'tags') ?? [],
      },
      target: target === null ? null : startOf(target, MAX_TARGET),
      refused: false,
      form: fitOf(this.#form(), tool, preview),
      speaker,
    });
  }

  /** A preview that was cut shows no object, and the decision may. */
  #decided(runId: string, { code, data, tool }: FollowedEntry): void {
    if (code !== null && code !== 'ALLOW') this.#open.refused(runId, textAt(data, 'call', 'call_id'));
    if (objectAt(data, 'facts', 'readings') === undefined) return;
    if (tool === undefined || tool === null || typeof tool === 'string') return;
    // Each of several commands: the end of all of them is not that of the first one.
    const commands = listAt(data, 'facts', 'readings', 'commands').map((one) => textAt(one, 'argv'));
    const target = commands.length > 1 ? commands.join('; ') : objectIn(tool, null, data);
    if (target !== null)
      this.#open.found(runId, textAt(data, 'call', 'call_id'), startOf(target, MAX_TARGET));
  }

  #ends(open: OpenCall | undefined, code: CodeName | null): Told | undefined {
    if (open === undefined) return undefined;
    const { call, form, refused: isRefused, runId, seq, speaker, target, tool, ts } = open;
    const outcome = {
      target: target ?? undefined,
      code: code ?? undefined,
      isRefused,
      form: form && { lacks: form.lacks },
    };
    const told = actionTold({ seq, ts, tool, data: { call } }, outcome);
    return told === undefined ? undefined : { runId, speaker, seq, event: told.event, forkOf: undefined };
  }

  #hooked(runId: string, entry: FollowedEntry): Told | undefined {
    const { data, seq, tool, ts } = entry;
    const hook = objectAt(data, 'hook') ?? {};
    const [client, session, agent] = [textAt(hook, 'via'), textAt(hook, 'session'), textAt(hook, 'agent_id')];
    const type = textAt(hook, 'agent_type');
    const speaker = speakerNamed(runId, { client, session, agent, type });
    const before = this.links.heard(runId, speaker);
    const id = textAt(hook, 'tool_use_id');
    const unseen =
      textAt(hook, 'message') === 'missing' || valueAt(data, 'facts', 'unguarded_start') === true;
    if (unseen) {
      // Nobody but this hook tells of that call: it is an action, and shows nothing.
      const told = actionTold(
        { seq, ts, tool, data: { call: { via: client } } },
        {
          target: undefined,
          code: textAt(data, 'facts', 'status') || undefined,
          isRefused: false,
          form: undefined,
        },
      );
      if (told?.event.kind !== 'action') return undefined;
      return { runId, speaker, seq, event: { ...told.event, isProtected: undefined }, forkOf: undefined };
    }
    if (valueAt(hook, 'linked') === true && id !== '') this.links.link(runId, id, speaker);
    const life = lifeTold(entry);
    if (life === undefined) return undefined;
    const isFork = textAt(data, 'facts', 'source') === 'fork';
    return {
      runId,
      speaker: { ...speaker, agent: life.agent, type: '' },
      seq,
      event: life.event,
      forkOf: isFork ? before : undefined,
    };
  }

  #speakerOf(runId: string, data: ToldEntry['data'], id: string | undefined): Speaker {
    const via = textAt(data, 'call', 'via');
    if (isHook(via)) {
      const session = textAt(data, 'call', 'context', 'session');
      const agent = textAt(data, 'call', 'context', 'agent_id');
      const type = textAt(data, 'call', 'context', 'agent_type');
      const speaker = speakerNamed(runId, { client: via, session, agent, type });
      this.links.heard(runId, speaker);
      return speaker;
    }
    return this.links.of(runId, id) ?? { client: 'run', session: runId, agent: '', type: '' };
  }
}

function fitOf(form: Form | undefined, tool: readonly [string, string], preview: string | null) {
  const fit = formOf(form, tool, preview === null ? undefined : argsIn(preview));
  return fit && { lacks: fit.lacks === undefined ? undefined : [...fit.lacks] };
}

function isHook(via: string): boolean {
  return via === 'claude_hook' || via === 'codex_hook';
}

function idOf(data: ToldEntry['data']): string | undefined {
  for (const key of ID_KEYS) {
    const id = textAt(data, 'call', 'context', key);
    if (id !== '') return id;
  }
  return undefined;
}
