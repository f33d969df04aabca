-- acquire, renew, release, reap and status of one pool.
if A.action == 'acquire' then
  if pool_take(A.pool, A.lease, A.bytes, A.capBytes, A.ttlMs, A.holder) then
    return answer({ granted = true, status = pool_status(A.pool) })
  end
  return answer({ granted = false, status = pool_status(A.pool) })
elseif A.action == 'renew' then
  pool_reap(A.pool)
  if redis.call('ZSCORE', key('pool', A.pool, 'expiry'), A.lease) then
    redis.call('ZADD', key('pool', A.pool, 'expiry'), NOW + A.ttlMs, A.lease)
    return answer({ held = true })
  end
  return answer({ held = false })
elseif A.action == 'release' then
  return answer({ released = pool_drop(A.pool, A.lease) })
elseif A.action == 'reap' then
  return answer({ reaped = pool_reap(A.pool) })
end
return answer({ status = pool_status(A.pool) })
