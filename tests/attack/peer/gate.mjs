/**
 * A gate as they are usually built: parse the line, ask a policy engine about the tool, forward the line. The
 * engine is the one of @microsoft/agent-governance-sdk; the lines around it are ours, as that package has no
 * proxy of its own. Usage: gate.mjs COMMAND ARGS…
 */
import { spawn } from 'node:child_process';
import { PolicyEngine } from '@microsoft/agent-governance-sdk';

const engine = new PolicyEngine();
const rule = (name, condition) => ({ name, condition, ruleAction: 'deny', priority: 1, enabled: true });
engine.loadPolicy({
  apiVersion: 'governance.toolkit/v1',
  name: 'smuggling',
  agents: ['*'],
  default_action: 'allow',
  rules: [
    rule('no-danger', "tool_name == 'danger'"),
    rule('no-read', "tool_name == 'read' and path != '/safe'"),
  ],
});

const [command = '', ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'] });

function refused(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (message?.method !== 'tools/call') return undefined;
  const { name, arguments: given } = message.params ?? {};
  const verdict = engine.evaluatePolicy('agent', { tool_name: name, path: given?.path });
  return verdict.allowed
    ? undefined
    : { jsonrpc: '2.0', id: message.id, error: { code: -32000, message: 'denied' } };
}

let parts = [];
process.stdin.on('data', (chunk) => {
  let at = 0;
  for (let feed = chunk.indexOf(10); feed >= 0; feed = chunk.indexOf(10, at)) {
    const line = Buffer.concat([...parts, chunk.subarray(at, feed + 1)]);
    parts = [];
    at = feed + 1;
    const answer = refused(line.toString('utf8'));
    if (answer === undefined) server.stdin.write(line);
    else process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  parts.push(chunk.subarray(at));
});
process.stdin.on('end', () => server.stdin.end());
server.on('exit', (code) => process.exit(code ?? 1));
