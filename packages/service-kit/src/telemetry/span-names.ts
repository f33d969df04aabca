/** Names of every span. Those of the device are named after the lines of cuzk's timing log. */
export const SPANS = {
  accepted: 'cuzk.accepted',
  ingest: 'cuzk.ingest',
  synthesize: 'cuzk.synthesize',
  synthesizeFetch: 'cuzk.synthesize.fetch',
  /** Until a thread has read its input: the first one is started then. */
  synthesizeStart: 'cuzk.synthesize.start',
  synthesizeFill: 'cuzk.synthesize.fill',
  synthesizeEncode: 'cuzk.synthesize.encode',
  synthesizeStore: 'cuzk.synthesize.store',
  prove: 'cuzk.prove',
  proveFetch: 'cuzk.prove.fetch',
  proveDecode: 'cuzk.prove.decode',
  /** With the witness on the device, until the partition before is done. */
  proveTurn: 'cuzk.prove.turn',
  finalize: 'cuzk.finalize',
  /** Times between stages, written at finalize from the record. */
  wait: 'cuzk.wait',
  gpuUpload: 'cuzk.gpu.upload',
  gpuCheckWitness: 'cuzk.gpu.check_witness',
  gpuNttMsmH: 'cuzk.gpu.ntt_msm_h',
  gpuQuotient: 'cuzk.gpu.quotient',
  gpuMsmH: 'cuzk.gpu.msm_h',
  gpuBatchAdd: 'cuzk.gpu.batch_add',
  gpuTailMsm: 'cuzk.gpu.tail_msm',
  gpuBG2Msm: 'cuzk.gpu.b_g2_msm',
  gpuTotal: 'cuzk.gpu.total',
  verify: 'cuzk.verify',
} as const;
