// Building blocks of Grafana's dashboard model: enough of it for ours, in a form that people can read.
const PROMETHEUS = { type: 'prometheus', uid: 'prometheus' };
const TEMPO = { type: 'tempo', uid: 'tempo' };
const COLUMNS = 24;

/** A link from any panel to the traces of the proof whose id stands in the variable at the top. */
const TRACE_LINK = {
  title: 'Traces of the proof',
  targetBlank: true,
  url: traceSearch(['{ span.cuzk.proof = "', '$' + '{proof}', '" }']),
};

/** Address of a search in Tempo. Every second part is a variable of Grafana, which must not be encoded. */
function traceSearch(parts) {
  const query = parts.map((part, i) => (i % 2 === 0 ? quoted(part) : part)).join('');
  const before = `{"t":{"datasource":"tempo","queries":[{"refId":"A","queryType":"traceql","limit":50,"query":"`;
  const after = `"}],"range":{"from":"`;
  const from = '$' + '{__from}';
  const to = '$' + '{__to}';
  const panes = [
    encodeURIComponent(before) + query + encodeURIComponent(after),
    from,
    encodeURIComponent('","to":"'),
    to,
    encodeURIComponent('"}}}'),
  ];
  return `/explore?schemaVersion=1&panes=${panes.join('')}`;
}

function quoted(text) {
  return encodeURIComponent(text.replaceAll('"', '\\"'));
}

const targetsOf = (queries) =>
  Object.entries(queries).map(([legend, expr], i) => ({
    refId: String.fromCharCode(65 + i),
    datasource: PROMETHEUS,
    expr,
    legendFormat: legend,
  }));

/** Lines over time. `queries`: legend → PromQL. `unit`: one of Grafana's. */
export function lines(title, unit, queries, { description = '', width = 8, stack = false } = {}) {
  return {
    type: 'timeseries',
    title,
    description,
    width,
    datasource: PROMETHEUS,
    targets: targetsOf(queries),
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        links: [TRACE_LINK],
        custom: {
          fillOpacity: stack ? 30 : 8,
          lineWidth: 1,
          showPoints: 'never',
          ...(stack ? { stacking: { mode: 'normal' } } : {}),
        },
      },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}

/** One number now, red from `red` on. */
export function stat(title, unit, query, { description = '', width = 4, red = null } = {}) {
  const steps = [
    { color: 'green', value: null },
    ...(red === null ? [] : [{ color: 'red', value: red }]),
  ];
  return {
    type: 'stat',
    title,
    description,
    width,
    height: 4,
    datasource: PROMETHEUS,
    targets: targetsOf({ [title]: query }),
    fieldConfig: {
      defaults: { unit, links: [TRACE_LINK], thresholds: { mode: 'absolute', steps } },
      overrides: [],
    },
    options: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value' },
  };
}

/** Traces found by TraceQL, each row a link into its waterfall. */
export function traces(title, query, { description = '', width = COLUMNS } = {}) {
  return {
    type: 'table',
    title,
    description,
    width,
    datasource: TEMPO,
    targets: [
      {
        refId: 'A',
        datasource: TEMPO,
        queryType: 'traceql',
        query,
        limit: 50,
        tableType: 'traces',
      },
    ],
    fieldConfig: { defaults: {}, overrides: [] },
    options: {},
  };
}

/** Puts panels one after another into rows of 24 columns. */
function place(panels) {
  let [x, y, rowHeight] = [0, 0, 0];
  return panels.map(({ width, height = 8, ...panel }, i) => {
    if (x + width > COLUMNS) [x, y, rowHeight] = [0, y + rowHeight, 0];
    const gridPos = { x, y, w: width, h: height };
    x += width;
    rowHeight = Math.max(rowHeight, height);
    return { id: i + 1, gridPos, ...panel };
  });
}

/** A whole dashboard. */
export function dashboard(uid, title, description, panels) {
  return {
    uid: `cuzk-${uid}`,
    title: `cuzk: ${title}`,
    description,
    tags: ['cuzk'],
    schemaVersion: 39,
    editable: false,
    timezone: 'browser',
    refresh: '10s',
    time: { from: 'now-1h', to: 'now' },
    links: [
      {
        type: 'dashboards',
        title: 'cuzk',
        tags: ['cuzk'],
        asDropdown: true,
        keepTime: true,
        includeVars: true,
      },
    ],
    templating: {
      list: [
        {
          name: 'proof',
          label: 'Proof id',
          type: 'textbox',
          query: '',
          current: { text: '', value: '' },
        },
      ],
    },
    panels: place(panels),
  };
}

/** The quantile of a histogram by labels, over five minutes. */
export const quantile = (share, metric, by) =>
  `histogram_quantile(${share}, sum by (${[...by, 'le'].join(', ')}) (rate(${metric}_bucket[5m])))`;
