-- Ingest has found one partition good and reads on: work on it begins. Nothing of it counts before the verdict on the
-- whole, and a bad one ends it.
local f, id = A.fence, A.fence.proofId
local reason = check(f)
if reason then return refuse(reason) end
set(id,
  'circuitId', A.circuitId, 'sectorBytes', A.sectorBytes, 'witnessBytes', A.witnessBytes, 'partitions', A.partitions)
open_partition(id, A.partition, A.input)
return accept()
