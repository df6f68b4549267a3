import * as z from 'zod';
import { Label, recordOf } from './json.js';
import { SecretBindings } from './secret-binding.js';
import { readKeyText } from '../note/key-text.js';

const Reaction = z.enum(['approve', 'flag', 'off']);
const PlaneMode = z.enum(['observe', 'steer']);
/** `claude:lead`: the agent of runs that the operator opened so; `claude:lead/TYPE`: its subagents. */
const Director = z
  .string()
  .regex(
    /^(?:claude|codex):[^/\p{Cc}]{1,128}(?:\/[^/\p{Cc}]{1,128})?$/u,
    'write `claude:AGENT` or `codex:AGENT`, with `/TYPE` for subagents of that type',
  );
/** A checkpoint of the mechanism `structured`: a call of that tool, with those arguments. */
const Form = z.strictObject({
  tool: z
    .string()
    .regex(/^[^\s\p{Cc}]{1,256}$/u, 'write the name that the client has for it: `mcp__SERVER__TOOL`'),
  fields: z.array(z.string().min(1).max(64)).min(1).max(16),
});
const PositiveInt = z.number().int().positive();
/** In ms, a day at most. */
const CallTimeout = z.number().int().min(100).max(86_400_000);
/** Of a file, on this machine's system. */
const AbsolutePath = z
  .string()
  .max(4096)
  .refine((path) => /^(?:\/|[A-Za-z]:[\\/])/.test(path) && !path.includes('\0'), 'write an absolute path');
/** A program by its absolute path, and its arguments. Never a line for a shell. */
const Command = z
  .array(z.string().min(1).max(4096))
  .min(1)
  .max(64)
  .refine(
    ([program = '']) => /^(?:\/|[A-Za-z]:[\\/])/.test(program),
    'begin with the absolute path of a program',
  )
  .refine(
    (argv) => argv.every((word) => !word.includes('\0')),
    'leave out characters that no argument can hold',
  );
/** An address of an MCP server over HTTP, without a user, a password or a fragment. */
const ServerUrl = z
  .string()
  .min(1)
  .max(8192)
  .refine(
    (text) =>
      /^https?:\/\/[^/?#@]+(?:[/?]|$)/i.test(text) && !/[\p{Cc} \\#]/u.test(text) && URL.canParse(text),
    'write an address as `https://HOST/PATH`, without a user, a password or a `#`',
  );
/** The public half of a key that signs policies, as `sub policy keygen` prints it. */
const PolicySigner = z
  .string()
  .max(2048)
  .refine(
    (text) => readKeyText(text)?.role === 'log',
    'write a public key as `sub policy keygen` prints it: `name+hash+base64`',
  );

/**
 * `config.toml`. Every field has a default, so an absent file is the same as an empty one; an unknown key is
 * an error.
 */
export const GatewayConfig = z.strictObject({
  /** `sub run` and `sub shim` start the gateway when none runs. */
  autostart: z.boolean().default(true),
  /**
   * `fsync`: an action runs only after its entry is on disk. `process`: survives a crash of ours, not of the
   * machine.
   */
  durability: z.enum(['fsync', 'process']).default('fsync'),
  /** Path of `heads.log`; default `~/.local/state/subluminal/<ledger id>/heads.log`. */
  heads_log: z.string().min(1).optional(),
  ledger: z
    .strictObject({
      /** The room on disk for the ledger, its log and its segments, in MiB. */
      max_mb: z.union([z.number().int().min(64).max(1_073_741_824), z.literal('unlimited')]).default(10_240),
      /** How large a file of the ledger becomes, in MiB, before the ledger goes on in another. */
      segment_mb: z.union([z.number().int().min(1).max(1_048_576), z.literal('unlimited')]).default(1024),
    })
    .prefault({}),
  retention: z
    .strictObject({
      /**
       * How long previews are kept; the entries that they belong to stay. 0: until the next look, within the
       * hour.
       */
      preview_days: z.union([z.number().int().nonnegative().max(36_500), z.literal('forever')]).default(30),
    })
    .prefault({}),
  runs: z
    .strictObject({
      /** Refuse every run that `sub run` did not open. */
      require_ticket: z.boolean().default(false),
      enrolments_per_minute: PositiveInt.default(60),
    })
    .prefault({}),
  ipc: z
    .strictObject({
      max_frame_bytes: PositiveInt.max(64 * 1024 * 1024).default(8 * 1024 * 1024),
      max_unauthenticated: PositiveInt.default(64),
      max_connections: PositiveInt.min(32).default(1024),
      /** Connections of one run; those with the enrol key share as many. */
      max_run_connections: PositiveInt.default(128),
      /** Requests that are worked on at once, of all and of one run; further ones wait in their sockets. */
      max_in_flight: PositiveInt.min(64).default(4096),
      max_run_in_flight: PositiveInt.default(512),
      /**
       * Bytes that requests hold in memory, of all and of one run. Over them sockets are not read for a
       * while.
       */
      max_bytes_in_flight: PositiveInt.min(32 * 1024 * 1024).default(128 * 1024 * 1024),
      max_run_bytes: PositiveInt.default(32 * 1024 * 1024),
    })
    .prefault({}),
  inspect: z
    .strictObject({
      max_inspect_bytes: PositiveInt.max(4 * 1024 * 1024).default(1_048_576),
      max_preview_bytes: z.number().int().nonnegative().max(16_384).default(16_384),
    })
    .prefault({}),
  /**
   * Requests an hour of the service actions, by action; `default` for the unlisted, `global` for all
   * together.
   */
  rate_limits: z
    .strictObject({
      default: PositiveInt.default(60),
      global: PositiveInt.default(500),
      actions: recordOf(z.string(), PositiveInt).default({
        'email.send': 20,
        'email.fetch': 60,
        'calendar.create': 30,
        'service.api_call': 100,
      }),
    })
    .prefault({}),
  /**
   * The reaction to an anomaly: `approve` asks the operator first, `flag` only records, `off` does not look
   * for it.
   */
  anomaly: z
    .strictObject({
      burst: Reaction.default('approve'),
      new_domain: Reaction.default('flag'),
      large_payload: Reaction.default('approve'),
      new_for_agent: Reaction.default('flag'),
      /** These two have no effect any more: old files name them. */
      unusual_volume: Reaction.default('flag'),
      tunnelled_name: Reaction.default('flag'),
      send_after_untrusted_read: Reaction.default('flag'),
      /** MCP servers whose answers others can write, besides those that say so of their tools. */
      untrusted_servers: z.array(Label).max(256).default([]),
      /** MCP servers whose answers are nobody else's business. */
      private_servers: z.array(Label).max(256).default([]),
    })
    .prefault({}),
  policy: z
    .strictObject({
      /**
       * Which change of policy.yaml takes effect: any, one that the operator asked for, or one that was
       * signed.
       */
      accept: z.enum(['file', 'operator', 'signed']).default('file'),
      signers: z.array(PolicySigner).max(64).default([]),
    })
    .refine(({ accept, signers }) => accept !== 'signed' || signers.length > 0, {
      path: ['signers'],
      message: 'list at least one public key, or no policy could ever be loaded',
    })
    .prefault({}),
  approvals: z
    .strictObject({
      expires_after_s: PositiveInt.default(3600),
      /** Whether a rule may ask a person; else it refuses without a question. */
      ask: z.boolean().default(true),
      /**
       * How the operator is told of what waits: on the desktop, or by a program of their own, which reads on
       * its standard input what it is. `false`: not at all.
       */
      notify: z.union([z.boolean(), Command]).default(true),
    })
    .prefault({}),
  calls: z
    .strictObject({
      /** How long a tool call may take, in ms, before it is given up; without it as long as it takes. */
      timeout_ms: CallTimeout.optional(),
    })
    .optional(),
  /** Settings of single MCP servers, by name. */
  servers: recordOf(
    Label,
    z.strictObject({
      timeout_ms: CallTimeout.optional(),
      /**
       * Of a server over HTTP: the only address or addresses that this name is for. They are for no other
       * name. Read anew.
       */
      url: z.union([ServerUrl, z.array(ServerUrl).min(1).max(64)]).optional(),
      /** Of a server over stdio: it lives in a world. Read by each shim that starts, as the next two. */
      world: z.boolean().optional(),
      /** Files and folders that it sees there besides its project, and those that it may write. */
      world_read: z.array(AbsolutePath).max(64).optional(),
      world_write: z.array(AbsolutePath).max(64).optional(),
    }),
  ).optional(),
  egress: z
    .strictObject({
      timeout_ms: PositiveInt.default(30_000),
      max_response_bytes: PositiveInt.default(4 * 1024 * 1024),
      max_redirects: z.number().int().nonnegative().max(20).default(5),
      /**
       * The proxy's way with a name that is not on the allowlist: `observe` lets it pass and records it
       * as unlisted, `enforce` refuses it; `off`: there is no proxy. Actions are never carried out at a place
       * that is not listed.
       */
      mode: z.enum(['observe', 'enforce', 'off']).default('observe'),
      /** PEM certificates that are trusted besides the built-in ones, for every connection of the gateway. */
      extra_ca_file: AbsolutePath.optional(),
      /** The proxy's port on 127.0.0.1; a free one is chosen without it. */
      proxy_port: z.number().int().min(1024).max(65_535).optional(),
      /** Connections of the proxy that are open at once, of all and of one run. */
      max_connections: PositiveInt.max(65_536).default(1024),
      max_run_connections: PositiveInt.max(65_536).default(256),
      connections_per_minute: PositiveInt.max(1_000_000).default(6000),
      /** Of one run, both directions together: it is slowed down to that. */
      max_bytes_per_second: PositiveInt.min(1024).optional(),
      /** Of one run, both directions together: then its connections are cut and further ones refused. */
      max_run_bytes: PositiveInt.optional(),
      /** How long a connection may carry nothing, in ms, a day at most. */
      idle_ms: PositiveInt.max(86_400_000).default(600_000),
    })
    .prefault({}),
  /** The page of `sub ui`. */
  ui: z
    .strictObject({
      /** The port on 127.0.0.1; without it the one that belongs to the ledger. */
      port: z.number().int().min(1024).max(65_535).optional(),
    })
    .optional(),
  /** Where MCP servers over HTTP are reached, once the operator asked for it. */
  http: z
    .strictObject({
      /** The port on 127.0.0.1; a free one is chosen without it. */
      port: z.number().int().min(1024).max(65_535).optional(),
    })
    .optional(),
  tools: z
    .strictObject({
      /**
       * The way with a tool that is not what it was: `hold` it back, `flag` it in the record only, or
       * `off`.
       */
      pin: z.enum(['hold', 'flag', 'off']).default('hold'),
      /** Servers whose tools are only flagged where others are held. */
      flag: z.array(Label).max(1024).default([]),
    })
    .prefault({}),
  world: z
    .strictObject({
      /** The least that a world may be: with `full` nothing weaker is ever taken. */
      require: z.enum(['full', 'named', 'any']).default('full'),
    })
    .prefault({}),
  /** The most that the plane does at a boundary of an agent's work, by the tier of what the agent does. */
  plane: z
    .strictObject({
      /** Looking around. */
      low: PlaneMode.default('observe'),
      ordinary: PlaneMode.default('observe'),
      /** Calls that a rule of the policy gives the class `protected`. */
      protected: z.enum(['observe', 'steer', 'gate']).default('observe'),
      /** Agents that a gate never withholds anything from. Everybody else is a worker. */
      directors: z.array(Director).max(64).default([]),
      form: Form.exactOptional(),
    })
    .prefault({}),
  /** Read by `sub` alone. */
  disk: z
    .strictObject({
      /** The room of all layers of worlds, in MiB: with more no new layer begins. */
      layers_mb: z
        .union([z.number().int().min(1).max(1_073_741_824), z.literal('unlimited')])
        .default(10_240),
      /** A layer that is older is told of. None is removed by its age. */
      layers_days: z.number().int().min(1).max(36_500).default(14),
    })
    .prefault({}),
  /** Secrets of servers. Read anew for each server that starts. */
  secret_bindings: SecretBindings.optional(),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
      /** A file that is larger is set aside, in MiB, and so many are kept. */
      max_mb: z.int().min(1).max(1024).default(4),
      keep: z.int().min(0).max(100).default(3),
    })
    .prefault({}),
});
export type GatewayConfig = z.infer<typeof GatewayConfig>;
