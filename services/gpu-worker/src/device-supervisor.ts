import { CuzkError, type ErrorCode } from '@cuzk/core/errors';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { type SectorShape, sectorShape } from '@cuzk/core/porep/sector';
import type { GpuMode } from '@cuzk/gpu/device/device';
import { residencyText } from '@cuzk/gpu/streaming/residency-text';
import type { ParamsFolders } from '@cuzk/service-kit/circuits/params-folder';
import { cacheDirOf, paramsFoldersOf } from '@cuzk/service-kit/config/parameter-settings';
import type { Service } from '@cuzk/service-kit/open-service';
import type { ParameterKind } from '@cuzk/service-kit/record/types';
import type { AdapterFacts, CircuitState, ProvedWitness, WitnessFile } from './child-protocol.ts';
import type { GpuWorkerConfig } from './config.ts';
import { DeviceLine, type LinedUp } from './device-line.ts';
import { DeviceMetrics, type SrsState } from './device-metrics.ts';
import { GpuProcess, type ProveNews } from './gpu-process.ts';
import { loadParameters } from './load-parameters.ts';
import { LoadedCircuits } from './loaded-circuits.ts';
import { type ParamsToLoad, paramsToLoad } from './params-to-load.ts';
import { RefusedFiles } from './refused-files.ts';
import { SilenceLimit } from './silence-limit.ts';
import { wantedSectors } from './wanted-sectors.ts';

/** Parameters that are not there yet are looked for again this often. */
const LOOK_AGAIN_MS = 5_000;
/** A circuit that was refused is tried again this often: memory of the card may have come free, a file be replaced. */
const TRY_AGAIN_MS = 60_000;
/** What is wrong with one circuit and no reason to do without the others. */
const CONCERNS_ONE_CIRCUIT: ReadonlySet<ErrorCode> = new Set([
  'PARAMS_MISSING',
  'PARAMS_MALFORMED',
  'PARAMS_DIGEST_MISMATCH',
  'SHAPE_MALFORMED',
  'GPU_OUT_OF_MEMORY',
  'DISK_FULL',
]);
const RESTART_PAUSE_MS = 1_000;

const noteIn =
  (errors: CuzkError[]) =>
  (error: unknown): undefined => {
    if (!(error instanceof CuzkError && CONCERNS_ONE_CIRCUIT.has(error.code))) throw error;
    errors.push(error);
  };

export interface SupervisorOptions {
  /** Told of every circuit that the device has got. */
  readonly onLoaded?: (sectorBytes: number, parameters: ParameterKind) => void;
  /** Another program than the one that owns a device, for tests. */
  readonly childPath?: string;
}

/** A partition's proof, and what it was made with. */
export interface ProvedOnDevice extends ProvedWitness {
  /** Kind of the parameters that the circuit was loaded with. */
  readonly parameters: ParameterKind;
  /** How the device holds the circuit, in words for spans. */
  readonly residency: string;
}

/**
 * Keeps a device process alive with the wanted circuits on it, restarts it when it dies, and tells the fleet
 * what it can prove. Work is accepted only while a process is alive and has the circuit.
 */
export class DeviceSupervisor {
  readonly #service: Service;
  readonly #config: GpuWorkerConfig;
  readonly #options: SupervisorOptions;
  readonly #folders: ParamsFolders;
  readonly #cacheDir: string;
  readonly #loaded = new LoadedCircuits();
  #refused = new RefusedFiles();
  readonly #line = new DeviceLine();
  readonly #metrics: DeviceMetrics;
  readonly #silence: SilenceLimit;
  #process: GpuProcess | undefined;
  #adapter: AdapterFacts | undefined;
  #status = 'starting';
  #wanted: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #starting: Promise<void> | undefined;
  #testing: Promise<boolean> | undefined;

  constructor(service: Service, config: GpuWorkerConfig, options: SupervisorOptions = {}) {
    this.#service = service;
    this.#config = config;
    this.#options = options;
    this.#metrics = new DeviceMetrics(service.metrics, () => this.#sectorStates());
    this.#silence = new SilenceLimit(config.DEVICE_HANG_MS);
    this.#folders = paramsFoldersOf(config);
    this.#cacheDir = cacheDirOf(config);
  }

  get ready(): boolean {
    return this.#loaded.size > 0 && this.#process?.alive === true;
  }

  get status(): string {
    return this.#status;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Circuits that can be proved now. */
  circuits(): readonly string[] {
    return this.ready ? this.#loaded.ids() : [];
  }

  adapter(): string {
    return this.#adapter?.description ?? 'no adapter';
  }

  /** Choices made for the adapter, in one line. */
  tuning(): string {
    return this.#adapter?.tuning ?? 'not tuned';
  }

  /** Starts the device process and loads circuits; goes on trying in the background where that fails. */
  start(): Promise<void> {
    this.#starting ??= this.#startOnce().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** A partition of this circuit was taken and will want the device. */
  enter(sectorBytes: number): LinedUp {
    return this.#line.enter(circuitId(sectorShape(sectorBytes)));
  }

  /** ms until the device could begin a further partition; null while it is too early to take one. */
  beginsInMs(): number | null {
    return this.ready ? this.#line.beginsInMs() : null;
  }

  /** Proves on the device, in the order of asking. Errors: as GpuProcess.prove, GPU_UNAVAILABLE. */
  async prove(
    sectorBytes: number,
    witness: WitnessFile,
    signal: AbortSignal,
    news: ProveNews,
  ): Promise<ProvedOnDevice> {
    const process = this.#process;
    if (process === undefined || !this.#loaded.has(sectorBytes)) {
      throw new CuzkError('GPU_UNAVAILABLE', 'this worker has no device with that circuit now');
    }
    // now: when it has been proved the device may have lost the circuit
    const { location, plan } = this.#loaded.get(sectorBytes);
    const proved = await process.prove({ sectorBytes, witness }, signal, news);
    return { ...proved, parameters: location.kind, residency: residencyText(plan) };
  }

  /** What is on the device now. */
  async held(): Promise<readonly CircuitState[]> {
    return this.#process === undefined ? [] : this.#process.circuits();
  }

  /**
   * Puts a circuit on the device, and evicts idle ones where that makes the room. Errors: PARAMS_*, GPU_UNAVAILABLE,
   * GPU_OUT_OF_MEMORY.
   */
  async preload(sector: SectorShape): Promise<void> {
    this.#loaded.wantAgain(sector.sectorBytes);
    await this.#starting;
    if (this.#process?.alive !== true) {
      throw new CuzkError('GPU_UNAVAILABLE', 'this worker has no device now');
    }
    if (this.#loaded.has(sector.sectorBytes)) return;
    try {
      await this.#load(sector, await this.#locate(sector));
    } finally {
      this.#set(this.ready ? 'ready' : 'no circuit is loaded');
    }
  }

  /**
   * Frees a circuit, which stays away until it is preloaded; false where it was not there. Errors: CAPACITY_EXHAUSTED.
   */
  async evict({ sectorBytes }: SectorShape): Promise<boolean> {
    if (this.#process === undefined) return false;
    const wasLoaded = await this.#process.evict(sectorBytes);
    this.#loaded.evict(sectorBytes);
    this.#set(this.ready ? 'ready' : 'no circuit is loaded');
    return wasLoaded;
  }

  /** Says how long partitions take now. */
  publish(): Promise<void> {
    return this.#publish();
  }

  /** Tests a suspect device. One that fails is replaced by a new process, which tests itself as it opens. */
  isSound(): Promise<boolean> {
    this.#testing ??= this.#test().finally(() => {
      this.#testing = undefined;
    });
    return this.#testing;
  }

  async #test(): Promise<boolean> {
    if (!this.ready || this.#process === undefined) return false;
    try {
      this.#set('testing the device after a failure');
      await this.#process.selfTest();
      this.#set('ready');
      return true;
    } catch (failure) {
      this.#service.logger.error(
        { err: failure },
        'device failed its self-test, replacing its process',
      );
      this.#process?.close();
      this.#process = undefined;
      this.#loaded.clear();
      await this.start();
      return false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#process?.close();
  }

  async #startOnce(): Promise<void> {
    try {
      if (this.#process?.alive !== true) await this.#open();
      await this.#loadWanted();
    } catch (error) {
      this.#service.logger.error({ err: error }, 'device is not ready');
      const lost = this.#process === undefined;
      this.#process?.close();
      this.#process = undefined;
      this.#set(error instanceof Error ? error.message : String(error));
      this.#later(lost ? RESTART_PAUSE_MS : LOOK_AGAIN_MS);
    }
  }

  async #open(): Promise<void> {
    this.#loaded.clear();
    // the device before may have been what was wrong with a file
    this.#refused = new RefusedFiles();
    this.#set('opening the device');
    const { childPath } = this.#options;
    const process = new GpuProcess({
      logger: this.#service.logger,
      cacheDir: this.#cacheDir,
      ...(childPath === undefined ? {} : { childPath }),
      silence: this.#silence,
      onProgress: (what, fraction) => this.#set(`${what} ${Math.floor(fraction * 100)} %`),
      onUsage: (usage) => this.#metrics.took(this.adapter(), usage),
      onLost: (reason) => this.#onLost(reason),
    });
    this.#process = process;
    this.#adapter = await process.open({
      gpu: this.#modeOfAdapter(),
      checkWitness: this.#config.CHECK_WITNESS === '1',
      cacheDir: this.#cacheDir,
    });
    const level = this.#adapter.software ? 'warn' : 'info';
    this.#service.logger[level]({ ...this.#adapter }, 'device open');
    // said when it is so: nothing waits for it, and where the process ends that is said elsewhere
    process.pipelines().then(
      (pipelines) => this.#service.logger.info({ ...pipelines }, 'kept pipelines compiled'),
      () => {},
    );
  }

  /** Never a silent fall-back: what began on hardware goes on on hardware, or not at all. */
  #modeOfAdapter(): GpuMode {
    if (this.#adapter?.software === false) return 'hardware';
    return this.#config.GPU as GpuMode;
  }

  async #loadWanted(): Promise<void> {
    const missing: CuzkError[] = [];
    const refused: CuzkError[] = [];
    for (const sector of wantedSectors(this.#config)) {
      if (!this.#loaded.isToLoad(sector.sectorBytes)) continue;
      const location = await this.#locate(sector).catch(noteIn(missing));
      if (location !== undefined) await this.#load(sector, location).catch(noteIn(refused));
    }
    for (const error of refused) {
      this.#service.logger.error({ err: error, ...error.facts }, 'circuit refused');
    }
    const named = this.#config.SECTOR_SIZES !== '';
    this.#wanted =
      named || this.#loaded.size === 0 ? missing.map(({ facts }) => facts.expected ?? '') : [];
    if (this.#loaded.size > 0) this.#set('ready');
    else this.#set(refused[0]?.message ?? 'no parameters');
    if (this.#wanted.length > 0) this.#later(LOOK_AGAIN_MS);
    else if (refused.length > 0) this.#later(TRY_AGAIN_MS);
  }

  #locate(sector: SectorShape): Promise<ParamsToLoad> {
    return paramsToLoad(this.#config, this.#folders, sector);
  }

  async #load(sector: SectorShape, location: ParamsToLoad): Promise<void> {
    const process = this.#process;
    if (process === undefined) throw new CuzkError('GPU_UNAVAILABLE', 'the device is gone');
    const options = {
      folders: this.#folders,
      cacheDir: this.#cacheDir,
      memoryLimit: this.#config.GPU_MEMORY_LIMIT,
      onStatus: (status: string) => this.#set(status),
    };
    const loaded = await this.#refused
      .unlessRefused(location, () => loadParameters(process, sector, location, options))
      .catch(async (error: unknown) => {
        await this.#offerWhatIsHeld(process);
        throw error;
      });
    for (const evicted of loaded.evicted) this.#loaded.evict(evicted);
    const { circuitId, seconds, warmUpSeconds, plan } = loaded;
    this.#loaded.add(sector.sectorBytes, { circuitId, location, plan });
    this.#options.onLoaded?.(sector.sectorBytes, location.kind);
    if (warmUpSeconds !== null) this.#line.expect(circuitId, 1000 * warmUpSeconds);
    const log = { sector: sector.name, parameters: location.kind, seconds, warmUpSeconds, plan };
    if (location.kind === 'production') this.#service.logger.info(log, 'circuit loaded');
    else this.#service.logger.warn(log, 'circuit loaded with insecure-development parameters');
  }

  /** A load that fails may have evicted others to make room: they are no longer offered, and loaded again. */
  async #offerWhatIsHeld(process: GpuProcess): Promise<void> {
    const states = process.alive ? await process.circuits() : [];
    const held = new Set(states.map(({ sectorBytes }) => sectorBytes));
    if (this.#loaded.keepOnly(held)) this.#later(RESTART_PAUSE_MS);
  }

  /** Where the parameters of each wanted sector size are on their way to the device. */
  #sectorStates(): ReadonlyMap<string, SrsState> {
    const stateOf = ({ sectorBytes, name }: SectorShape): SrsState => {
      if (this.#loaded.has(sectorBytes)) return 'loaded';
      return this.#status.startsWith(`loading ${name}`) ? 'loading' : 'missing';
    };
    return new Map(wantedSectors(this.#config).map((sector) => [sector.name, stateOf(sector)]));
  }

  #onLost(reason: string): void {
    this.#service.logger.error(
      { reason, adapter: this.adapter() },
      'device process lost, starting another',
    );
    this.#process = undefined;
    this.#loaded.clear();
    this.#metrics.lost();
    this.#set(`device process ${reason}`);
    this.#later(RESTART_PAUSE_MS);
  }

  #later(delayMs: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.start(), delayMs);
  }

  #set(status: string): void {
    this.#status = status;
    void this.#publish();
  }

  #publish(): Promise<void> {
    const first = this.#loaded.first();
    return this.#service.presence.publish({
      ready: this.ready,
      status: this.#status,
      circuits: this.circuits(),
      wantedFiles: this.#wanted,
      secondsPerPartition: this.#line.seconds(),
      deviceBytes: this.#metrics.deviceBytes,
      slots: 1,
      ...(this.#adapter === undefined ? {} : { adapter: this.#adapter.description }),
      ...(first === undefined ? {} : { parameters: first.location.kind }),
    });
  }
}
