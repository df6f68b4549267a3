// What the conformance suite expects a server to offer, with the low-level server of the SDK, so that schemas
// stay as written.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { PROMPTS } from './prompts.mjs';
import { LISTED, readResource, TEMPLATES } from './resources.mjs';
import { TOOLS } from './tools.mjs';

/** A server for one session. */
export function createServer() {
  const capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    completions: {},
  };
  const server = new Server({ name: 'conformance', version: '1.0.0' }, { capabilities });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(TOOLS).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema: { type: 'object', ...inputSchema },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    known(TOOLS, params.name, 'tool').call(params.arguments ?? {}, extra),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: LISTED }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readResource(params.uri));
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.entries(PROMPTS).map(([name, { description, args = [] }]) => ({
      name,
      description,
      arguments: args.map((arg) => ({ name: arg, required: true })),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: known(PROMPTS, params.name, 'prompt').messages(params.arguments ?? {}),
  }));
  server.setRequestHandler(CompleteRequestSchema, () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  return server;
}

/**
 * @template T @param {Readonly<Record<string, T>>} all @param {string} name @param {string} what @returns {T}
 */
function known(all, name, what) {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found === undefined) throw new McpError(ErrorCode.InvalidParams, `there is no ${what} ${name}`);
  return found;
}
