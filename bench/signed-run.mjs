/**
 * A client that asks for tool calls as a shim does, without the shim: signed requests over the gateway's real
 * socket.
 */
import { MAX_CARRIED_ENDS } from '@subluminal/core-types';
import { connectGateway, homePaths, processIdentity, readCredential } from '@subluminal/ipc';

/** A run with one shim's connection, in this process. */
export async function openRun(home) {
  const paths = homePaths(home);
  const clock = () => Date.now();
  const connect = (credential) => connectGateway({ socketPath: paths.socket, credential, clock });
  const operator = await connect(readCredential(paths.operatorKey));
  const opened = await must(
    operator.request('run.begin', {
      agent_id: 'bench',
      client: 'custom',
      env: 'dev',
      holder: processIdentity(process.pid),
    }),
  );
  operator.close();
  const run = await connect(opened.data.credential);
  const shim = { shim_id: 'bench-shim' };
  await must(
    run.request('upstream.begin', {
      ...shim,
      proc_id: 'bench-proc',
      server_name: 'echo',
      argv_hash: '0'.repeat(64),
      token: 'bench-token-0123456789',
      shim: processIdentity(process.pid),
    }),
  );
  const call = { server_name: 'echo', tool_name: 'echo', transport: 'mcp_stdio', bytes_in: 120 };
  const outcome = {
    status: 'OK',
    latency_ms: 1,
    bytes_out: 120,
    preview: { truncated: false, result_preview: 'done' },
  };
  let calls = 0;
  const ended = [];
  return {
    /**
     * Asks for a call and waits until it is allowed; its end is reported with a later one, as a shim does.
     */
    async action() {
      const call_id = `bench-call-${String((calls += 1)).padStart(9, '0')}`;
      const ends = ended.splice(0, MAX_CARRIED_ENDS);
      await must(
        run.request('tool.call.begin', {
          ...shim,
          call_id,
          ...call,
          args: { n: calls, text: 'what an agent sends' },
          ...(ends.length === 0 ? {} : { ends }),
        }),
      );
      ended.push({ call_id, ...outcome });
    },
    async close() {
      for (const end of ended) await must(run.request('tool.call.end', end));
      await must(
        run.request('upstream.end', { ...shim, token: 'bench-token-0123456789', exit_code: 0, signal: null }),
      );
      run.close();
    },
  };
}

async function must(pending) {
  const answer = await pending;
  if (answer.status !== 'success')
    throw new Error(`${answer.status}: ${answer.error?.code} ${answer.error?.message}`);
  return answer;
}
