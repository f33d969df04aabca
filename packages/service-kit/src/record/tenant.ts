/** On whose behalf proofs are made: a share of the fleet and a limit. */
export interface Tenant {
  /** Empty for the one tenant of a service without keys. */
  readonly name: string;
  /** Share of the fleet relative to other tenants with work of the same class, from 1. */
  readonly weight: number;
  /** Most proofs that have not ended, null for no limit. */
  readonly maxLiveProofs: number | null;
}

/** The one tenant where no keys are set up. */
export const NO_TENANT: Tenant = { name: '', weight: 1, maxLiveProofs: null };
