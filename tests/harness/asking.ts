import { spawn } from 'node:child_process';
import { Decision, RunOpened } from '@subluminal/core-types';
import {
  connectGateway,
  homePaths,
  processIdentity,
  readCredential,
  type GatewayClient,
} from '@subluminal/ipc';
import { toolCall } from '../gateway/harness.js';

/** A run of `shell.run`, whose process no command of the test stands below. */
export interface AskingRun {
  readonly id: string;
  readonly client: GatewayClient;
  /** The answer to a call with that command. */
  decided(command: string): Promise<Decision>;
  /** The id of the question about it; empty where nobody was asked. */
  asked(command: string): Promise<string>;
  /** Ends the run, once. */
  end(): Promise<void>;
}

/** Opens a run at the gateway of a home, which works in a folder if one is named. */
export async function askingRun(home: string, folder?: string): Promise<AskingRun> {
  // It lives as long as the test does, however slow the machine is: its input ends with this process.
  const holder = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  const paths = homePaths(home);
  const connect = (credential: Parameters<typeof connectGateway>[0]['credential']) =>
    connectGateway({ socketPath: paths.socket, credential, clock: Date.now });
  const operator = await connect(readCredential(paths.operatorKey));
  const opened = await operator.request('run.begin', {
    agent_id: 'a',
    client: 'custom',
    env: 'dev',
    holder: processIdentity(holder.pid ?? 0),
    ...(folder === undefined ? {} : { workload: { repo_path: folder } }),
  });
  const { run_id: id, credential } = RunOpened.parse(opened.data);
  operator.close();
  const client = await connect(credential);
  const decided = async (command: string): Promise<Decision> => {
    const call = toolCall({ server_name: 'shell', tool_name: 'run', args: { command } });
    const { data } = await client.request('tool.call.begin', call);
    return Decision.parse((data as { decision: unknown }).decision);
  };
  let hasEnded = false;
  return {
    id,
    client,
    decided,
    asked: async (command) => (await decided(command)).hint?.approval?.id ?? '',
    async end() {
      if (hasEnded) return;
      hasEnded = true;
      await client.request('run.end', { status: 'SUCCEEDED' });
      client.close();
      holder.kill('SIGKILL');
    },
  };
}
