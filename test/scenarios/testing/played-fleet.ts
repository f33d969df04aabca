import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { circuitId } from '@cuzk/core/porep/circuit-id';
import { parseSectorSize, sectorShape } from '@cuzk/core/porep/sector';
import { dispatchAll } from '@cuzk/service-kit/fleet/dispatcher';
import type { Service } from '@cuzk/service-kit/open-service';
import {
  acceptC1,
  refuseC1,
  releaseHandoff,
  submitPartitionProof,
  submitWitness,
} from '@cuzk/service-kit/record/changes';
import { createOrJoinProof } from '@cuzk/service-kit/record/create-proof';
import type { Fence, PhaseTiming, StageUnit } from '@cuzk/service-kit/record/types';
import { artifact, mustClaim, newProof, only } from '@cuzk/service-kit/testing/sample-proof';

const SECTOR = sectorShape(parseSectorSize('32GiB'));
export const PLAYED_CIRCUIT = circuitId(SECTOR);
const PARTITIONS = 10;
const WITNESS_BYTES = 74_000_000;
const CAP_BYTES = 5 * WITNESS_BYTES;

const PHASES_MS = { upload: 4, ntt_msm_h: 40, batch_add: 12, tail_msm: 22, b_g2_msm: 18 };
const PROVE_MS = Object.values(PHASES_MS).reduce((sum, ms) => sum + ms, 0);

/** Phases of proving, one after the other, ending now. */
function phasesEndingNow(): PhaseTiming[] {
  const total = PROVE_MS;
  let at = Date.now() - total;
  const parts = Object.entries(PHASES_MS).map(([name, durationMs]): PhaseTiming => {
    const startMs = at;
    at += durationMs;
    const clock = name === 'upload' ? 'wall' : 'gpu';
    return { name: `cuzk.gpu.${name}`, startMs, durationMs, clock, parent: 'cuzk.gpu.total' };
  });
  const whole = { name: 'cuzk.gpu.total', startMs: at - total, durationMs: total, clock: 'gpu' };
  return [whole as PhaseTiming, ...parts];
}

/**
 * A proof of ten partitions whose steps are made by hand through the functions of the record, as workers make them:
 * every state of a partition can be held for as long as one looks at it.
 */
export class PlayedProof {
  readonly proofId: string;
  readonly #synth: Service;
  readonly #units = new Map<number, StageUnit>();
  readonly #claimed = new Map<number, Fence>();

  private constructor(proofId: string, synth: Service) {
    this.proofId = proofId;
    this.#synth = synth;
  }

  /** A new proof that ingest has found good; its partitions wait for dispatch. */
  static async start(synth: Service, sectorNumber: string): Promise<PlayedProof> {
    const contentKey = createHash('sha256').update(`played ${sectorNumber}`).digest('hex');
    const created = await createOrJoinProof(synth.redis, newProof({ sectorNumber, contentKey }));
    const claim = await mustClaim(synth.redis, only(created.next), synth.identity);
    await acceptC1(synth.redis, claim.fence, {
      circuitId: PLAYED_CIRCUIT,
      sectorBytes: SECTOR.sectorBytes,
      witnessBytes: WITNESS_BYTES,
      publicInputs: artifact('public-inputs'),
      inputs: Array.from({ length: PARTITIONS }, (_, k) => artifact(`input-${k}`)),
    });
    return new PlayedProof(created.proofId, synth);
  }

  /** A proof whose C1 ingest has refused. Returns its id. */
  static async refused(synth: Service, sectorNumber: string): Promise<string> {
    const created = await createOrJoinProof(synth.redis, newProof({ sectorNumber }));
    const claim = await mustClaim(synth.redis, only(created.next), synth.identity);
    await refuseC1(synth.redis, claim.fence, {
      code: 'C1_INCONSISTENT',
      message: 'replica_id does not follow from the statement',
      pointer: '/replica_id',
      expected: 'the id that miner, sector, ticket and comm_d give',
      found: 'another one',
    });
    return created.proofId;
  }

  /** Lets the dispatcher release what the permits allow. */
  static async dispatch(synth: Service, proofs: readonly PlayedProof[]): Promise<void> {
    const { units } = await dispatchAll(synth.redis, { handoffBytes: CAP_BYTES, window: 64 });
    for (const unit of units) {
      const proof = proofs.find(({ proofId }) => proofId === unit.proofId);
      if (proof !== undefined) proof.#units.set(unit.partition ?? 0, unit);
    }
  }

  async synthesize(partition: number): Promise<void> {
    const claim = await mustClaim(this.#synth.redis, this.#unit(partition), this.#synth.identity);
    this.#claimed.set(partition, claim.fence);
  }

  async synthesized(partition: number): Promise<void> {
    const witness = artifact(`witness-${partition}`, WITNESS_BYTES);
    const change = await submitWitness(this.#synth.redis, this.#fence(partition), witness, []);
    this.#units.set(partition, only(change.next));
  }

  /** A GPU takes the partition, and with it its bytes: the permit is free again. */
  async prove(partition: number, gpu: Service): Promise<void> {
    const claim = await mustClaim(gpu.redis, this.#unit(partition), gpu.identity);
    this.#claimed.set(partition, claim.fence);
    await releaseHandoff(gpu.redis, claim.fence);
  }

  async proved(partition: number, gpu: Service): Promise<void> {
    await sleep(PROVE_MS);
    await submitPartitionProof(gpu.redis, this.#fence(partition), {
      proof: new Uint8Array(192).fill(partition + 1),
      parameters: 'insecure-development',
      worker: gpu.identity.name,
      phases: phasesEndingNow(),
    });
  }

  #unit(partition: number): StageUnit {
    const unit = this.#units.get(partition);
    if (unit === undefined)
      throw new Error(`partition ${partition} is not ready for the next step`);
    return unit;
  }

  #fence(partition: number): Fence {
    const fence = this.#claimed.get(partition);
    if (fence === undefined) throw new Error(`partition ${partition} is not claimed`);
    return fence;
  }
}
