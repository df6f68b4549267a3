import { type Authority, sendJson, serve, type Served } from './https.js';

export const TOKEN = 'eyJ-fhir-token-0001';
const LOINC = 'http://loinc.org';

/** Observations of the examples in https://hl7.org/fhir/R4/: heart rate, blood pressure, body weight. */
const HEART_RATES = Array.from({ length: 5 }, (_, index) => ({
  resourceType: 'Observation',
  id: `heart-rate-${index}`,
  status: 'final',
  category: [{ coding: [{ code: 'vital-signs' }] }],
  code: { coding: [{ system: LOINC, code: '8867-4', display: 'Heart rate' }], text: 'Heart rate' },
  subject: { reference: 'Patient/example' },
  effectiveDateTime: `1999-07-0${index + 1}`,
  valueQuantity: {
    value: 44 + index,
    unit: 'beats/minute',
    system: 'http://unitsofmeasure.org',
    code: '/min',
  },
}));
const BLOOD_PRESSURE = {
  resourceType: 'Observation',
  id: 'blood-pressure',
  status: 'final',
  category: [{ coding: [{ code: 'vital-signs' }] }],
  code: { coding: [{ system: LOINC, code: '85354-9', display: 'Blood pressure panel' }] },
  effectivePeriod: { start: '2012-09-17T10:00:00Z', end: '2012-09-17T10:05:00Z' },
  component: [
    {
      code: { coding: [{ system: LOINC, code: '8480-6', display: 'Systolic blood pressure' }] },
      valueQuantity: { value: 107, unit: 'mmHg' },
    },
    {
      code: { coding: [{ system: LOINC, code: '8462-4', display: 'Diastolic blood pressure' }] },
      valueQuantity: { value: 60, unit: 'mmHg' },
    },
  ],
};

/** A FHIR R4 server: search of Observations by patient, code, category and date, in pages of two. */
export async function fhir(authority: Authority): Promise<Served> {
  const all = [...HEART_RATES, BLOOD_PRESSURE];
  const served = await serve(authority, ({ url, headers }, response) => {
    const at = new URL(url, `https://fhir.test:${served.port}`);
    const send = (body: unknown, status = 200): void =>
      sendJson(response, body, status, 'application/fhir+json');
    const outcome = (code: string, text: string) => ({
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', code, details: { text } }],
    });
    if (headers.authorization !== `Bearer ${TOKEN}`) send(outcome('login', 'the token is not valid'), 401);
    else if (at.pathname !== '/r4/Observation') send(outcome('not-found', 'no such resource type'), 404);
    else if (at.searchParams.get('patient') !== 'example') send(outcome('forbidden', 'another patient'), 400);
    else {
      const codes = (at.searchParams.get('code') ?? '')
        .split(',')
        .map((code) => code.replace(`${LOINC}|`, ''));
      const from = at.searchParams.get('date')?.replace('ge', '') ?? '';
      const found = all.filter((one) => {
        const when = 'effectiveDateTime' in one ? one.effectiveDateTime : one.effectivePeriod.start;
        const fits = at.searchParams.has('category') || codes.includes(one.code.coding[0]?.code ?? '');
        return fits && when >= from.slice(0, 10);
      });
      const page = Number(at.searchParams.get('page') ?? 0);
      const next = new URL(at);
      next.searchParams.set('page', String(page + 1));
      const entries = found
        .slice(2 * page, 2 * page + 2)
        .map((resource) => ({ resource, search: { mode: 'match' } }));
      send({
        resourceType: 'Bundle',
        type: 'searchset',
        total: found.length,
        link: [
          { relation: 'self', url: at.href },
          ...(found.length > 2 * page + 2 ? [{ relation: 'next', url: next.href }] : []),
        ],
        entry: entries,
      });
    }
  });
  return served;
}
