// The tools that the conformance suite calls by name, and what it expects of each.
import { CreateMessageResultSchema, ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { PIXEL, SILENCE } from './bytes.mjs';

const PAUSE_MS = 20;

/**
 * @typedef {import('@modelcontextprotocol/sdk/shared/protocol.js').RequestHandlerExtra<any, any>} Extra
 * @typedef {{ description: string, inputSchema?: object, call: (args: Record<string, any>, extra: Extra) =>
 *   Promise<object> | object }} Tool
 */

/** @param {string} words */
const text = (words) => ({ type: 'text', text: words });
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
/** @param {string} uri @param {string} mimeType @param {string} words */
const resource = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } });
/** @param {object[]} content */
const result = (...content) => ({ content });

/** @param {string} name */
const oneString = (name) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});

/** @type {Readonly<Record<string, Tool>>} */
export const TOOLS = {
  test_simple_text: {
    description: 'answers with words',
    call: () => result(text('This is a simple text response for testing.')),
  },
  test_image_content: { description: 'answers with an image', call: () => result(image) },
  test_audio_content: {
    description: 'answers with a sound',
    call: () => result({ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }),
  },
  test_embedded_resource: {
    description: 'answers with a resource',
    call: () =>
      result(resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  },
  test_multiple_content_types: {
    description: 'answers with several kinds of content',
    call: () =>
      result(
        text('Multiple content types test:'),
        image,
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ),
  },
  test_tool_with_logging: {
    description: 'tells its log while it works',
    async call(_args, { sendNotification }) {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
        await sleep(PAUSE_MS);
      }
      return result(text('Tool with logging executed successfully'));
    },
  },
  test_tool_with_progress: {
    description: 'tells how far it is',
    async call(_args, { sendNotification, _meta }) {
      const progressToken = _meta?.progressToken ?? 0;
      for (const progress of [0, 50, 100]) {
        const params = { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` };
        await sendNotification({ method: 'notifications/progress', params });
        await sleep(PAUSE_MS);
      }
      return result(text(String(progressToken)));
    },
  },
  test_error_handling: {
    description: 'fails',
    call: () => ({ ...result(text('This tool intentionally returns an error for testing')), isError: true }),
  },
  test_sampling: {
    description: 'has the client’s model say something',
    inputSchema: oneString('prompt'),
    async call({ prompt }, { sendRequest }) {
      const messages = [{ role: 'user', content: text(prompt) }];
      const params = { messages, maxTokens: 100 };
      const said = await sendRequest({ method: 'sampling/createMessage', params }, CreateMessageResultSchema);
      return result(text(`LLM response: ${'text' in said.content ? said.content.text : ''}`));
    },
  },
  test_elicitation: {
    description: 'asks the user',
    inputSchema: oneString('message'),
    call: ({ message }, extra) =>
      elicit(extra, 'User response', message, {
        properties: { response: { type: 'string', description: "User's response" } },
        required: ['response'],
      }),
  },
  test_elicitation_sep1034_defaults: {
    description: 'asks with a default for each kind of value',
    call: (_args, extra) =>
      elicit(extra, 'Elicitation completed', 'Please review the form', {
        properties: DEFAULTS,
        required: [],
      }),
  },
  test_elicitation_sep1330_enums: {
    description: 'asks with each form of a choice',
    call: (_args, extra) =>
      elicit(extra, 'Elicitation completed', 'Please choose', { properties: CHOICES, required: [] }),
  },
  json_schema_2020_12_tool: {
    description: 'has a schema with definitions',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    call: (args) => result(text(`called with ${JSON.stringify(args)}`)),
  },
  test_reconnection: {
    description: 'closes its stream before it answers',
    async call(_args, { closeSSEStream }) {
      closeSSEStream?.();
      await sleep(100);
      return result(text('Reconnection test completed successfully.'));
    },
  },
};

const DEFAULTS = {
  name: { type: 'string', description: 'User name', default: 'John Doe' },
  age: { type: 'integer', description: 'User age', default: 30 },
  score: { type: 'number', description: 'User score', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', description: 'Verification status', default: true },
};

const options = ['option1', 'option2', 'option3'];
const titled = ['value1', 'value2', 'value3'].map((value) => ({ const: value, title: `Title of ${value}` }));
const CHOICES = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled } },
};

/**
 * Asks the user, and tells what they answered behind `words`.
 * @param {Extra} extra @param {string} words @param {string} message @param {object} schema
 */
async function elicit({ sendRequest }, words, message, schema) {
  const params = { mode: 'form', message, requestedSchema: { type: 'object', ...schema } };
  const { action, content } = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
  return result(text(`${words}: action=${action}, content=${JSON.stringify(content ?? {})}`));
}
