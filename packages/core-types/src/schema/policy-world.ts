import * as z from 'zod';

/** So many bytes, as `512Mi` or `2Gi`. */
const Size = z.string().regex(/^[1-9][0-9]{0,5}(?:Ki|Mi|Gi)$/, 'a number and `Ki`, `Mi` or `Gi`');
const Ms = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
const Bytes = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
/** Bounded: each world and each connection looks through them. */
const Texts = z.array(z.string().min(1).max(1024)).max(256);

/** The settings of a world. All are optional: what is left out is as it is without them. */
const settings = {
  limits: z
    .strictObject({
      memory: Size.optional(),
      /** Processors, as `"1.5"`. */
      cpu: z
        .string()
        .regex(/^(?:[1-9][0-9]{0,3}(?:\.[0-9]{1,3})?|0\.[0-9]{0,2}[1-9])$/, 'processors, as `"1.5"`')
        .optional(),
      processes: z.number().int().positive().max(4_194_304).optional(),
      wall_ms: Ms.optional(),
      disk: Size.optional(),
    })
    .optional(),
  reuse: z.boolean().optional(),
  net: z.strictObject({ allowed: z.array(z.string().min(1).max(253)).max(1024) }).optional(),
  fs: z
    .strictObject({
      ask: Texts.optional(),
      hide: Texts.optional(),
      read: Texts.optional(),
      write: Texts.optional(),
    })
    .optional(),
  commands: z.strictObject({ isolated: Texts.optional() }).optional(),
  egress_budget: z
    .strictObject({ bytes_per_sec: Bytes.optional(), total_bytes: Bytes.optional() })
    .optional(),
};

const Profile = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, `.`, `_` and `-`'),
  server: Texts.optional(),
  folder: Texts.optional(),
  ...settings,
});

/** The settings of all worlds, and of those that a profile is for (our minor extension). */
export const PolicyWorld = z.strictObject({ ...settings, profiles: z.array(Profile).max(256).optional() });
export type PolicyWorld = z.infer<typeof PolicyWorld>;
/** A profile of `PolicyWorld`. */
export type PolicyWorldProfile = z.infer<typeof Profile>;
