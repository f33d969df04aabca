// Writes everything that is generated and checked in. With --check it only compares, and fails on a difference.
await import('./generate-kernels.mjs');
await import('./generate-wasm.mjs');
await import('./generate-dashboards.mjs');
