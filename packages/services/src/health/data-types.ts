import { SublError } from '@subluminal/core-types';

const LOINC = 'http://loinc.org';

/** Kinds of observations by the words for them, and the codes of LOINC that servers store them under. */
const CODES = {
  heart_rate: ['8867-4'],
  resting_heart_rate: ['40443-4'],
  blood_pressure: ['85354-9', '55284-4'],
  respiratory_rate: ['9279-1'],
  body_temperature: ['8310-5'],
  oxygen_saturation: ['2708-6', '59408-5'],
  weight: ['29463-7', '3141-9'],
  height: ['8302-2'],
  body_mass_index: ['39156-5'],
  body_fat: ['41982-0'],
  blood_glucose: ['15074-8', '2339-0', '2345-7', '41653-7'],
  steps: ['41950-7', '55423-8'],
  calories_burned: ['41981-2'],
  sleep: ['93832-4'],
} as const satisfies Record<string, readonly string[]>;

/** The categories of FHIR R4 (`observation-category`), as they are asked for. */
const CATEGORIES = {
  vital_signs: 'vital-signs',
  laboratory: 'laboratory',
  activity: 'activity',
  exam: 'exam',
  imaging: 'imaging',
  procedure: 'procedure',
  social_history: 'social-history',
  survey: 'survey',
  therapy: 'therapy',
} as const satisfies Record<string, string>;

/** Every word that `health.fetch` knows, besides `loinc:CODE`. */
const DATA_TYPES: readonly string[] = [...Object.keys(CODES), ...Object.keys(CATEGORIES)];

const LOINC_CODE = /^loinc:([0-9]{1,7}-[0-9])$/;

/**
 * The search parameter that asks for one kind of observation.
 *
 * @throws SublError `invalid_request` for any other word: a guess would answer with other measurements.
 */
export function searchFor(dataType: string): { readonly name: 'code' | 'category'; readonly value: string } {
  const own = LOINC_CODE.exec(dataType)?.[1];
  if (own !== undefined) return { name: 'code', value: `${LOINC}|${own}` };
  const codes = new Map<string, readonly string[]>(Object.entries(CODES)).get(dataType);
  if (codes !== undefined) return { name: 'code', value: codes.map((code) => `${LOINC}|${code}`).join(',') };
  const category = new Map<string, string>(Object.entries(CATEGORIES)).get(dataType);
  if (category !== undefined) return { name: 'category', value: category };
  throw new SublError('invalid_request', '`dataType` is not known', {
    help: `use \`loinc:CODE\` or one of ${DATA_TYPES.map((name) => `\`${name}\``).join(', ')}`,
  });
}
