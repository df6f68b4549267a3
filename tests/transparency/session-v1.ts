import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { eventually } from '../harness/processes.js';
import { record, type Line } from './transcript.js';

/** Steps that a session takes with a connected client. */
export type Steps = (client: Client) => Promise<void>;

/** How a server is started, and the words on its stderr after which it has asked its client all it asks. */
export interface ServerStart {
  readonly env?: Readonly<Record<string, string>>;
  readonly ready?: string;
}

/** Connects the 1.x client to `argv`, takes `steps` and gives back everything that went over the wire. */
export async function sessionV1(
  argv: readonly string[],
  steps: Steps,
  { env, ready = '' }: ServerStart = {},
): Promise<Line[]> {
  const [command = '', ...args] = argv;
  const transport = new StdioClientTransport({
    command,
    args,
    stderr: 'pipe',
    ...(env === undefined ? {} : { env: { PATH: process.env['PATH'] ?? '', ...env } }),
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    process.stderr.write(chunk);
  });
  const lines = record(transport);
  const client = new Client(
    { name: 'transparency', version: '1.0.0' },
    { capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } } },
  );
  client.setRequestHandler(CreateMessageRequestSchema, (request) => ({
    model: 'scripted',
    role: 'assistant',
    content: { type: 'text', text: `sampled: ${JSON.stringify(request.params.messages)}` },
  }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///tmp', name: 'tmp' }] }));
  await client.connect(transport);
  try {
    await eventually(`the server says \`${ready}\``, () => said.includes(ready));
    await steps(client);
  } finally {
    await client.close();
  }
  return lines;
}

/** Takes a step that the server is expected to refuse or fail; the answer is in the transcript. */
export async function expectRefusal(step: Promise<unknown>): Promise<void> {
  const outcome = await step.then(
    () => 'answered',
    () => 'refused',
  );
  if (outcome !== 'refused') throw new Error('the step was expected to be refused');
}
