import { canonicalize, isSublError, parseJson } from '@subluminal/core-types';
import type { CallEnd, Core, ToolCall } from '@subluminal/agent';
import type { ServerSecrets } from './server-secrets.js';

/**
 * The core as an adapter sees it, which hears of no secret of the server: what is reported of answers, lists
 * and dropped messages is recorded, by the gateway or, while none answers, in a file. Calls are decided as
 * they are; the gateway, which knows the values as well, keeps them out of its entries.
 */
export function hidingCore(core: Core, secrets: Pick<ServerSecrets, 'hide' | 'values' | 'all'>): Core {
  const { hide } = secrets;
  return {
    values: secrets.values,
    decide: (call: ToolCall) => core.decide(call),
    end: (callId, end) => core.end(callId, hiddenEnd(end, hide)),
    dropped: (message) =>
      core.dropped(message.method === undefined ? message : { ...message, method: hide(message.method) }),
    listed: (page) => {
      if (secrets.all.length === 0) return core.listed(page);
      let text: string;
      try {
        text = canonicalize(page.tools);
      } catch (error) {
        // The core says what cannot be written.
        if (isSublError(error)) return core.listed(page);
        throw error;
      }
      const hidden = hide(text);
      if (hidden === text) return core.listed(page);
      const tools = parseJson(hidden);
      return Array.isArray(tools) ? core.listed({ ...page, tools }) : core.listed(page);
    },
  };
}

function hiddenEnd(end: CallEnd, hide: (text: string) => string): CallEnd {
  const { error, preview } = end;
  const { result_preview: result } = preview;
  return {
    ...end,
    preview: result === undefined ? preview : { ...preview, result_preview: hide(result) },
    ...(error === undefined ? {} : { error: { ...error, message: hide(error.message) } }),
  };
}
