/** The complete public surface of @subluminal/anomaly: named exports only. */
export { ANOMALY_SECTION } from './config.js';
export { AnomalyDetector } from './detector.js';
export { ANOMALY_TABLES } from './tables.js';
export { toolReads } from './reads/tool-reads.js';
