import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { record, type Line } from './transcript.js';

/**
 * The 2.x client, which probes for revision 2026-07-28 and falls back, with handlers for what a server may
 * ask.
 */
export async function sessionV2(
  argv: readonly string[],
  steps: (client: Client) => Promise<void>,
): Promise<Line[]> {
  const [command = '', ...args] = argv;
  const transport = new StdioClientTransport({ command, args, stderr: 'inherit' });
  const lines = record(transport);
  const client = new Client(
    { name: 'transparency', version: '2.0.0' },
    {
      capabilities: { elicitation: { form: {} }, roots: {}, sampling: {} },
      versionNegotiation: { mode: 'auto' },
    },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///tmp', name: 'tmp' }] }));
  client.setRequestHandler('sampling/createMessage', () => ({
    model: 'scripted',
    role: 'assistant' as const,
    content: { type: 'text' as const, text: 'sampled' },
  }));
  await client.connect(transport);
  try {
    await steps(client);
  } finally {
    await client.close();
  }
  return lines;
}

/** Everything that the modern fixture offers, the tool that asks back included. */
export async function stepsModern(client: Client): Promise<void> {
  await client.listTools();
  await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
  await client.callTool({ name: 'fail', arguments: {} });
  await client.callTool({ name: 'deploy', arguments: { env: 'staging' } });
  await client.listResources();
  await client.readResource({ uri: 'note://one' });
  await client.listPrompts();
  await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } });
}

/** The part of the reference server that the 2.x client can ask for in the same words. */
export async function stepsLegacy(client: Client): Promise<void> {
  // The server asks for roots a third of a second after its start, or when a tool needs them: of two servers
  // that are not as fast the one would do so in the middle of the other's steps.
  await new Promise<void>((resolve) => {
    client.setRequestHandler('roots/list', () => {
      resolve();
      return { roots: [{ uri: 'file:///tmp', name: 'tmp' }] };
    });
  });
  await client.listTools();
  await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
  await client.callTool({ name: 'get-structured-content', arguments: { location: 'New York' } });
  await client.callTool({ name: 'trigger-elicitation-request', arguments: {} });
  await client.callTool({ name: 'get-roots-list', arguments: {} });
  await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'hello', maxTokens: 10 } });
  await client.listResources();
  await client.listPrompts();
}
