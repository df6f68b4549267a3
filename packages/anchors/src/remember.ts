import { SublError, type JsonObject } from '@subluminal/core-types';
import { type Call, type Clock, type Logger, type Recorder, errorText } from '@subluminal/gateway';
import { type Anchor, anchoredEntry } from './anchored-entry.js';
import { rememberTarget } from './target-list.js';

export interface RememberParts {
  readonly headsLog: string;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Records an anchor; `call` claims its request id where nothing else has. */
export async function remember(parts: RememberParts, anchor: Anchor, call?: Call): Promise<JsonObject> {
  const entries = [anchoredEntry(anchor, parts.clock())];
  const seen = call === undefined ? {} : { seen: { runId: null, id: call.requestId } };
  const result = await parts.recorder.append({ entries, ...seen });
  const seq = result.ok ? result.entries[0]?.seq : undefined;
  if (seq === undefined) throw new SublError('replayed', 'this anchor was recorded before');
  if (anchor.kind === 'file' || anchor.kind === 'git') {
    try {
      rememberTarget(parts.headsLog, anchor);
    } catch (error) {
      // The entry stands; only a ledger that is put back behind it would not find the place again.
      parts.log.warn('the place of an anchor was not remembered outside', { error: errorText(error) });
    }
  }
  const { kind, target, size, root } = anchor;
  return { seq, kind, target, size, root };
}
