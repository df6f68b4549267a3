import { listAt, momentAt, objectAt, textAt, valueAt } from '@subluminal/core-types';
import { CLAUDE_BUILTIN, mcpTool } from '@subluminal/hooks';
import { jsonObject, mayBeObject, type LineReader, type MadeCall } from './made-call.js';

/** The session files of Claude Code: an object a line, calls among the content of what the model said. */
export function claudeReader(): LineReader {
  return (line) => {
    if (line === '') return [];
    if (!mayBeObject(line)) return 'bad';
    if (!line.includes('"tool_use"')) return [];
    const entry = jsonObject(line);
    if (entry === undefined) return 'bad';
    if (textAt(entry, 'type') !== 'assistant') return [];
    const cwd = textAt(entry, 'cwd') || undefined;
    const ts = momentAt(entry, 'timestamp');
    const calls: MadeCall[] = [];
    for (const block of listAt(objectAt(entry, 'message'), 'content')) {
      if (textAt(block, 'type') !== 'tool_use') continue;
      const [id, name] = [textAt(block, 'id'), textAt(block, 'name')];
      const input = valueAt(block, 'input');
      if (name === '' || input === null || typeof input !== 'object' || Array.isArray(input)) return 'bad';
      const { server, name: tool } = mcpTool(name, undefined) ?? { server: CLAUDE_BUILTIN, name };
      calls.push({ id, server, tool, args: objectAt(block, 'input'), cwd, ts });
    }
    return calls;
  };
}
