/** Everything that a verifier of one's own needs; byte strings in base64. */
export interface VerificationDocument {
  readonly proofId: string;
  readonly circuitId: string;
  readonly sectorSize: string;
  readonly parameters: string | null;
  readonly partitions: number;
  /** 192 bytes a partition. */
  readonly proof: string;
  /** Of every partition after the other: values of 32 bytes, little-endian, without ONE. */
  readonly publicInputs: string;
  readonly publicInputsPerPartition: number;
  readonly verifyingKey: string;
  /** First 16 bytes of the key's BLAKE2b-512 in hex, which is how Filecoin publishes it. */
  readonly verifyingKeyDigest: string;
}
