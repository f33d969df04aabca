import type { PoolView } from '../../src/status/status-types.ts';
import { count, formatBytes, shortId } from '../format.ts';
import { status } from '../state/status-store.ts';
import { Meter } from './meter.tsx';

/** The byte permits: what holds the fleet back, and who has them. */
export function PermitPanel() {
  const pools = (status.value?.permits ?? []).filter(
    ({ pool, cap_bytes }) => pool === 'handoff' || cap_bytes > 0,
  );
  const buffers = status.value?.buffers.by_class ?? [];
  return (
    <section class="card" aria-labelledby="permits">
      <h2 id="permits">Permits</h2>
      <ul class="rows">
        {pools.map((pool) => (
          <PoolRow key={pool.pool} pool={pool} />
        ))}
      </ul>
      <h3>Buffers in flight</h3>
      {buffers.length === 0 ? (
        <p class="muted">None was held yet.</p>
      ) : (
        <table class="plain">
          <tbody>
            {buffers.map((own) => (
              <tr key={`${own.class} ${own.stage}`}>
                <td>
                  {own.class.replaceAll('_', ' ')} at {own.stage}
                </td>
                <td class="number">{own.buffers}</td>
                <td class="number">{formatBytes(own.bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function PoolRow({ pool }: { pool: PoolView }) {
  const { pool: name, used_bytes, cap_bytes, leases, denied, reaped, holders } = pool;
  const title = name === 'handoff' ? 'hand-off to the GPUs' : name.replace('host:', 'memory of ');
  const used =
    cap_bytes === 0
      ? formatBytes(used_bytes)
      : `${formatBytes(used_bytes)} of ${formatBytes(cap_bytes)}`;
  const most = holders.slice(0, 3).map(({ holder, bytes, leases: own }) => {
    const who = holder.startsWith('prf_') ? shortId(holder) : holder;
    return `${who} ${formatBytes(bytes)} (${own})`;
  });
  return (
    <li>
      <div class="row-head">
        <strong class="grow">{title}</strong>
        <span class="figure">{used}</span>
      </div>
      <Meter share={cap_bytes === 0 ? 0 : used_bytes / cap_bytes} />
      <p class="muted clip" title={most.join(', ')}>
        {count(leases, 'lease')}, {denied.toLocaleString('en')} denied, {reaped} taken back
        {most.length > 0 ? ` · ${most.join(', ')}` : ''}
      </p>
    </li>
  );
}
