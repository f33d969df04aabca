// Who may import whom. A rule in the way means the code is in the wrong place; change a rule only with an ADR.
const CORE = {
  errors: [],
  bytes: ['errors'],
  field: ['bytes', 'errors'],
  curve: ['field'],
  poly: ['field'],
  hash: ['field'],
  r1cs: ['field', 'hash'],
  gadgets: ['r1cs', 'hash', 'field'],
  groth16: ['r1cs', 'poly', 'curve', 'field', 'hash'],
  porep: ['gadgets', 'r1cs', 'hash', 'field'],
};
const GPU = {
  device: [],
  field: ['device'],
  ntt: ['field', 'device'],
  curve: ['field', 'device'],
  msm: ['curve', 'field', 'device'],
  r1cs: ['field', 'device'],
  prover: ['r1cs', 'msm', 'curve', 'ntt', 'field', 'device'],
  streaming: ['prover', 'r1cs', 'msm', 'curve', 'ntt', 'field', 'device'],
  startup: ['msm', 'curve', 'ntt', 'field', 'device'],
  setup: ['prover', 'r1cs', 'msm', 'curve', 'ntt', 'field', 'device'],
  library: ['setup', 'streaming', 'prover', 'r1cs', 'msm', 'curve', 'ntt', 'field', 'device'],
};
const notTest = '([.]test[.]ts$|/testing/)';
const any = (names) => `(?:${['errors', 'bytes', ...names].join('|')})(?:[./]|$)`;
const rule = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

export default {
  forbidden: [
    rule('no-cycles', {}, { circular: true }, 'A cycle means two files are one idea.'),
    rule('resolvable', {}, { couldNotResolve: true }, 'Every import must exist.'),
    ...Object.entries(CORE).map(([layer, below]) =>
      rule(
        `core-${layer}-layer`,
        { path: `^packages/core/src/${layer}(?:/|[.]ts$)`, pathNot: notTest },
        { path: '^packages/core/src/', pathNot: `^packages/core/src/${any([layer, ...below])}` },
        `${layer} may import: ${below.join(', ') || 'nothing'}; mathematics is readable bottom-up.`,
      ),
    ),
    ...Object.entries(GPU).map(([layer, below]) =>
      rule(
        `gpu-${layer}-layer`,
        { path: `^packages/gpu/src/${layer}/`, pathNot: notTest },
        {
          path: '^packages/gpu/src/',
          pathNot: `^packages/gpu/src/(?:${[layer, ...below].join('|')})/`,
        },
        `${layer} may import: ${below.join(', ') || 'nothing'}; the tree shows what a kernel stands on.`,
      ),
    ),
    rule(
      'core-is-pure',
      { path: '^packages/core/src', pathNot: notTest },
      { dependencyTypes: ['core'] },
      'Core has no I/O and no Node modules, so the browser can verify with it.',
    ),
    rule(
      'core-depends-on-noble-only',
      { path: '^packages/core/src', pathNot: notTest },
      { path: 'node_modules', pathNot: 'node_modules/@noble/' },
      'An auditor of core reads core and noble, nothing else.',
    ),
    rule(
      'gpu-above-core-only',
      { path: '^packages/gpu/src', pathNot: notTest },
      { path: '^(packages/(service-kit|cli)|services)/' },
      'The GPU library knows mathematics and devices, not queues.',
    ),
    rule(
      'webgpu-in-one-file',
      { path: '^(packages|services)/', pathNot: '^packages/gpu/src/device/device[.]ts$' },
      { path: 'node_modules/webgpu/' },
      'The addon crashes when its root object is collected; one file owns it.',
    ),
    rule(
      'queue-libraries-in-service-kit',
      { path: '^(packages/(?!service-kit)|services/)', pathNot: notTest },
      { path: 'node_modules/(bullmq|ioredis)/' },
      'Stages speak of records and jobs, not of BullMQ.',
    ),
    rule(
      'services-are-islands',
      { path: '^services/([^/]+)/' },
      { path: '^services/', pathNot: '^services/$1/' },
      'Services meet in Redis and the artifact store only.',
    ),
    rule(
      'packages-below-services',
      { path: '^packages/' },
      { path: '^services/' },
      'Imports go downwards; the CLI starts services as processes.',
    ),
    rule(
      'no-test-code-in-source',
      { path: '/src/', pathNot: notTest },
      { path: '([.]test[.]ts$|^test/|/testing/)' },
      'What ships does not depend on what tests it.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.test.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@cuzk/source', 'import', 'node', 'default'],
    },
  },
};
