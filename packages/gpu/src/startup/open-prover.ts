import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CuzkError } from '@cuzk/core/errors';
import type { FieldVariants, GpuContext } from '../device/context.ts';
import { type GpuMode, openDevice, readKernel } from '../device/device.ts';
import { sameForms } from '../field/field-variants.ts';
import { measureMultiplier } from '../field/measure-multiplier.ts';
import { requireIntegerForms, runSelfTest, type SelfTestReport } from '../field/self-test.ts';
import { type CompiledAhead, type CompileOptions, compileAhead } from './compile-ahead.ts';
import type { DeviceKey, DeviceStore } from './device-store.ts';
import { openKeptPipelines } from './kept-pipelines.ts';
import { compileTimed, type Tuning, tuneDevice, withTuning, withVariants } from './tune-device.ts';
import { decodeTuning, encodeTuning } from './tuning-file.ts';

/** A device that passed its self-test, with the multipliers the test allows. */
export interface OpenedProver {
  readonly context: GpuContext;
  readonly selfTestReport: SelfTestReport;
  /** What was measured for this adapter, now or in another process; undefined where nothing keeps it. */
  readonly tuning: Tuning | undefined;
  /** Millions of Fp multiplications a second; on a software adapter of one core. */
  readonly fpMulPerSecond: number;
  /** What was compiled before the device was first used; null where nothing had to be. */
  readonly compiledAhead: CompiledAhead | null;
  /** Settles when the pipelines that an earlier process kept are compiled; how many they are. */
  readonly keptPipelines: Promise<number>;
  /** Settles when the device is lost. */
  readonly lost: Promise<string>;
  /** Tests the device again. Throws CuzkError GPU_SELF_TEST_FAILED where it no longer passes as it did at first. */
  selfTest(): Promise<void>;
  /** Has the pipelines compiled until now compiled at once by the next process that opens this device. */
  keepPipelines(): Promise<void>;
  close(): void;
}

/**
 * Opens the adapter of `mode`, has a software adapter's kernels compiled where that was not done, tests it, and chooses
 * what is fastest on it: as `store` says, or by measuring, whose result goes there. Errors: GPU_UNAVAILABLE,
 * GPU_SELF_TEST_FAILED.
 */
export async function openProver(
  mode: GpuMode,
  store?: DeviceStore,
  { onCompiled }: Pick<CompileOptions, 'onCompiled'> = {},
): Promise<OpenedProver> {
  const opened = await openDevice(mode);
  const key = { adapter: opened.context.traits.description, kernels: kernelDigest() };
  const compiledAhead = await compileAhead(opened.context.traits, key, {
    onCompiled,
    // reading WGSL, which every process has to do for itself, goes on beside it
    onKept: (spec) => void opened.context.kernels.prepare(spec),
  });
  const { context: untested } = opened;
  const storedTuning = store === undefined ? null : await store.read('tuning', key);
  if (store && !untested.traits.software && storedTuning === null) {
    // beside the self-test, for the driver compiles some at once; whoever tunes hears of a failure
    compileTimed(untested, untested.variants).catch(() => {});
  }
  const [selfTestReport, pipelines] = await Promise.all([
    runSelfTest(opened.context),
    store && openKeptPipelines(opened.context, key, store),
  ]);
  const { variants: allowed } = selfTestReport;
  const tested = withVariants(opened.context, allowed, readKernel);
  const tuning = store && (await tuningOf(tested, allowed, key, store, storedTuning));
  const context = tuning === undefined ? tested : withTuning(tested, tuning, readKernel);
  /** What was chosen for its speed alone. */
  const testChoice = async (): Promise<void> => {
    if (!sameForms(context.variants, allowed)) await requireIntegerForms(context);
  };
  await testChoice();
  return {
    context,
    selfTestReport,
    tuning,
    fpMulPerSecond: measuredRate(context, tuning) ?? (await measureMultiplier(context)),
    compiledAhead,
    keptPipelines: pipelines?.compiled ?? Promise.resolve(0),
    lost: opened.lost,
    selfTest: async () => {
      const { variants } = await runSelfTest(context);
      const { fp, fr } = allowed;
      if (sameForms(variants, allowed)) return await testChoice();
      throw new CuzkError(
        'GPU_SELF_TEST_FAILED',
        'this device no longer multiplies as it did at start',
        {
          expected: `fp ${fp}, fr ${fr} to pass`,
          found: `only fp ${variants.fp}, fr ${variants.fr} pass`,
          action: 'restart the process; if it happens again, replace the GPU',
        },
      );
    },
    keepPipelines: async () => {
      // kernels with other multipliers than a device is opened with would be compiled for nothing
      if (context.kernels === opened.context.kernels) await pipelines?.keep();
    },
    close: opened.close,
  };
}

/** As it was tuned; a software adapter's rate is of this machine as it is now, and soon measured. */
const measuredRate = ({ traits }: GpuContext, tuning?: Tuning): number | undefined =>
  traits.software ? undefined : tuning?.measured.fpMulPerSecond;

async function tuningOf(
  context: GpuContext,
  allowed: FieldVariants,
  key: DeviceKey,
  store: DeviceStore,
  stored: string | null,
): Promise<Tuning> {
  if (stored !== null) {
    try {
      return decodeTuning(stored, key, allowed);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      store.warn(`the stored tuning of this adapter is made again: ${error.message}`);
    }
  }
  const tuning = await tuneDevice(context, allowed, readKernel);
  await store.write('tuning', key, encodeTuning(key, tuning));
  return tuning;
}

/** SHA-256 over the names and texts of all kernels. */
function kernelDigest(): string {
  const folder = fileURLToPath(new URL('../../kernels', import.meta.url));
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const hash = createHash('sha256');
  for (const path of paths.filter((each) => each.endsWith('.wgsl')).sort()) {
    hash.update(`${path}\n${readKernel(path)}\n`);
  }
  return hash.digest('hex');
}
