/** The complete public surface of @subluminal/shim: named exports only. */
export {};
