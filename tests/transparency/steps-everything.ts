import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ListRootsRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expectRefusal } from './session-v1.js';

/** The whole of what the reference server offers, as far as it is the same on every run. */
export async function stepsEverything(client: Client): Promise<void> {
  const logged = new Promise<void>((resolve) => {
    client.setNotificationHandler(LoggingMessageNotificationSchema, () => resolve());
  });
  await rootsAsked(client);
  await client.ping();
  // Before the list is known: behind it a tool that is not in it is refused.
  await client.callTool({ name: 'no-such-tool', arguments: {} });
  await client.listTools();
  await tools(client);
  await resources(client);
  await prompts(client);
  await client.setLoggingLevel('debug');
  await client.callTool({ name: 'toggle-simulated-logging', arguments: {} });
  await logged;
  await client.callTool({ name: 'toggle-simulated-logging', arguments: {} });
  await progressAndCancellation(client);
  await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'hello', maxTokens: 10 } });
  await client.callTool({ name: 'trigger-elicitation-request', arguments: {} });
  await client.callTool({ name: 'get-roots-list', arguments: {} });
}

async function tools(client: Client): Promise<void> {
  await client.callTool({
    name: 'echo',
    arguments: { message: 'grüße, 世界, \u2028, "quotes", \\ and \u{1f600}' },
  });
  await client.callTool({ name: 'get-sum', arguments: { a: 1.5, b: 1e21 } });
  await client.callTool({ name: 'get-structured-content', arguments: { location: 'Chicago' } });
  await client.callTool({
    name: 'get-annotated-message',
    arguments: { messageType: 'error', includeImage: true },
  });
  await client.callTool({ name: 'get-tiny-image', arguments: {} });
  await client.callTool({ name: 'get-resource-links', arguments: { count: 2 } });
  await client.callTool({
    name: 'get-resource-reference',
    arguments: { resourceType: 'Text', resourceId: 2 },
  });
  await client.callTool({ name: 'get-sum', arguments: { a: 'not a number' } });
}

async function resources(client: Client): Promise<void> {
  const { resources: listed } = await client.listResources();
  await client.listResourceTemplates();
  await client.readResource({ uri: listed[0]?.uri ?? '' });
  await expectRefusal(client.readResource({ uri: 'demo://no/such/resource' }));
  await client.subscribeResource({ uri: listed[0]?.uri ?? '' });
  await client.unsubscribeResource({ uri: listed[0]?.uri ?? '' });
}

async function prompts(client: Client): Promise<void> {
  await client.listPrompts();
  await client.getPrompt({ name: 'simple-prompt' });
  await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Bern' } });
  await expectRefusal(client.getPrompt({ name: 'no-such-prompt' }));
  await client.complete({
    ref: { type: 'ref/prompt', name: 'completable-prompt' },
    argument: { name: 'department', value: 'E' },
  });
}

async function progressAndCancellation(client: Client): Promise<void> {
  let ticks = 0;
  await client.callTool(
    { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 4 } },
    undefined,
    {
      onprogress: () => (ticks += 1),
    },
  );
  if (ticks === 0) throw new Error('no progress was reported');
  const abort = new AbortController();
  setTimeout(() => abort.abort('no longer needed'), 150);
  await expectRefusal(
    client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.5, steps: 1 } },
      undefined,
      {
        signal: abort.signal,
      },
    ),
  );
}

/**
 * The server asks for the roots by a timer after the start; what follows is compared in order, so it comes
 * first.
 */
function rootsAsked(client: Client): Promise<void> {
  return new Promise((resolve) => {
    client.setRequestHandler(ListRootsRequestSchema, () => {
      setTimeout(resolve, 50);
      return { roots: [{ uri: 'file:///tmp', name: 'tmp' }] };
    });
  });
}
