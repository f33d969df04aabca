/** How full something is; the figures beside it say the same to those who do not see it. */
export function Meter({ share }: { share: number }) {
  const percent = Math.min(100, Math.max(0, 100 * share));
  return (
    <span class={`meter ${percent > 90 ? 'meter-full' : ''}`} aria-hidden="true">
      <span style={{ width: `${percent.toFixed(1)}%` }} />
    </span>
  );
}
