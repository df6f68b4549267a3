import { isJsonObject, isSublError, parseJson, type JsonObject } from '@subluminal/core-types';

/** A call that a client has made, as its session file has it. */
export interface MadeCall {
  /** The client's own id of it. */
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** The folder that it was made in; undefined where the file does not say. */
  readonly cwd: string | undefined;
  /** Epoch milliseconds; undefined where the file does not say. */
  readonly ts: number | undefined;
}

/** Reads the lines of one session file in their order: the calls of each, or `bad`. */
export type LineReader = (line: string) => readonly MadeCall[] | 'bad';

/** A JSON text as an object; undefined for any other text. */
export function jsonObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (isSublError(error, 'invalid_json', 'too_deep')) return undefined;
    throw error;
  }
}

/** Whether a line may be a JSON object: what begins and ends as one. Only lines that matter are parsed. */
export function mayBeObject(line: string): boolean {
  return line.startsWith('{') && line.trimEnd().endsWith('}');
}
