/** The complete public surface of @subluminal/anomaly: named exports only. */
export { AnomalyDetector } from './detector.js';
export { ANOMALY_TABLES } from './tables.js';
export { toolReads } from './tool-reads.js';
