import { JsonObjectSchema } from '@subluminal/core-types';
import * as z from 'zod';
import { dropFirst } from '../drop-first.js';
import { speakerSchema } from './speaker.js';

/** Of more calls than this without an end the one that began first is let go of. */
const MAX_OPEN = 2048;

/** The longest object of a call that is compared, in characters. */
export const MAX_TARGET = 2048;

/** A call that began, until its end is told. */
export const openCall = z.strictObject({
  runId: z.string(),
  callId: z.string(),
  /** The client's own id of it; empty where it tells none. */
  id: z.string(),
  seq: z.int(),
  ts: z.int(),
  tool: z.tuple([z.string(), z.string()]),
  /** `call` of its entry. */
  call: JsonObjectSchema,
  target: z.string().max(MAX_TARGET).nullable(),
  /** It was not let through. */
  refused: z.boolean(),
  /** How it fits the form of a checkpoint; absent for a call of another tool. Its arguments are not kept. */
  form: z.strictObject({ lacks: z.array(z.string()).max(16).optional() }).optional(),
  speaker: speakerSchema,
});
export type OpenCall = Readonly<z.infer<typeof openCall>>;

/** The calls that have begun, by the gateway's id and by the client's own. */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();

  get all(): Iterable<OpenCall> {
    return this.#calls.values();
  }

  add(call: OpenCall): void {
    this.#calls.set(`${call.runId} ${call.callId}`, call);
    if (call.id !== '') this.#byId.set(`${call.runId} ${call.id}`, call);
    const dropped = dropFirst(this.#calls, MAX_OPEN);
    if (dropped !== undefined) this.#forget(dropped);
  }

  /** The object of a call as its decision tells it, if its preview did not. */
  found(runId: string, callId: string, target: string): void {
    const call = this.#calls.get(`${runId} ${callId}`);
    if (call?.target === null) this.add({ ...call, target });
  }

  /** A call was not let through. */
  refused(runId: string, callId: string): void {
    const call = this.#calls.get(`${runId} ${callId}`);
    if (call !== undefined) this.add({ ...call, refused: true });
  }

  take(runId: string, callId: string): OpenCall | undefined {
    const call = this.#calls.get(`${runId} ${callId}`);
    if (call !== undefined) this.#forget(call);
    return call;
  }

  /** The same by the client's own id. */
  takeNamed(runId: string, id: string): OpenCall | undefined {
    const call = this.#byId.get(`${runId} ${id}`);
    return call === undefined ? undefined : this.take(runId, call.callId);
  }

  /** The run is over. */
  forgetRun(runId: string): void {
    for (const call of this.#calls.values()) if (call.runId === runId) this.#forget(call);
  }

  #forget({ callId, id, runId }: OpenCall): void {
    this.#calls.delete(`${runId} ${callId}`);
    if (this.#byId.get(`${runId} ${id}`)?.callId === callId) this.#byId.delete(`${runId} ${id}`);
  }
}
