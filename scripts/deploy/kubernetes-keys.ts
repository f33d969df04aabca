/** The parts of an object that a check of it needs. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

/**
 * The keys of the API that our manifests use: a tree, where `[]` stands for the elements of a list and `*` for any key
 * of a map. What is not here is refused, so that a misspelt key does not pass silently as it does in a cluster.
 */
type Keys = { readonly [key: string]: Keys | true };

const PROBE: Keys = {
  httpGet: { path: true, port: true },
  exec: { command: { '[]': true } },
  periodSeconds: true,
  timeoutSeconds: true,
  failureThreshold: true,
};
const SELECTOR: Keys = { matchLabels: { '*': true } };
const CONTAINER: Keys = {
  name: true,
  image: true,
  args: { '[]': true },
  env: {
    '[]': { name: true, value: true, valueFrom: { fieldRef: { fieldPath: true } } },
  },
  envFrom: { '[]': { configMapRef: { name: true }, secretRef: { name: true } } },
  ports: { '[]': { name: true, containerPort: true } },
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  startupProbe: PROBE,
  lifecycle: { preStop: { exec: { command: { '[]': true } } } },
  resources: { requests: { '*': true }, limits: { '*': true } },
  securityContext: {
    allowPrivilegeEscalation: true,
    readOnlyRootFilesystem: true,
    capabilities: { drop: { '[]': true } },
  },
  volumeMounts: { '[]': { name: true, mountPath: true, readOnly: true } },
};
const POD: Keys = {
  serviceAccountName: true,
  automountServiceAccountToken: true,
  terminationGracePeriodSeconds: true,
  tolerations: { '[]': { key: true, operator: true, effect: true } },
  securityContext: {
    runAsNonRoot: true,
    runAsUser: true,
    runAsGroup: true,
    fsGroup: true,
    fsGroupChangePolicy: true,
    seccompProfile: { type: true },
  },
  containers: { '[]': CONTAINER },
  volumes: {
    '[]': {
      name: true,
      emptyDir: {},
      persistentVolumeClaim: { claimName: true, readOnly: true },
    },
  },
};
const METADATA: Keys = {
  name: true,
  namespace: true,
  labels: { '*': true },
  annotations: { '*': true },
};
const TEMPLATE: Keys = { metadata: METADATA, spec: POD };
const CLAIM: Keys = {
  accessModes: { '[]': true },
  resources: { requests: { storage: true } },
};
const SCALING_RULES: Keys = {
  stabilizationWindowSeconds: true,
  policies: { '[]': { type: true, value: true, periodSeconds: true } },
};
const POLICY_PORTS: Keys = { '[]': { protocol: true, port: true } };
const POLICY_PEERS: Keys = { '[]': { namespaceSelector: SELECTOR, podSelector: SELECTOR } };

const SPECS: Readonly<Record<string, Keys>> = {
  'v1 Namespace': {},
  'v1 ConfigMap': { data: { '*': true } },
  'v1 Secret': { data: { '*': true }, type: true },
  'v1 ServiceAccount': { automountServiceAccountToken: true },
  'v1 PersistentVolumeClaim': { spec: CLAIM },
  'v1 Service': {
    spec: {
      clusterIP: true,
      selector: { '*': true },
      ports: { '[]': { name: true, port: true, targetPort: true } },
    },
  },
  'apps/v1 Deployment': {
    spec: {
      replicas: true,
      selector: SELECTOR,
      strategy: { rollingUpdate: { maxSurge: true, maxUnavailable: true } },
      template: TEMPLATE,
    },
  },
  'apps/v1 StatefulSet': {
    spec: {
      serviceName: true,
      replicas: true,
      selector: SELECTOR,
      template: TEMPLATE,
      volumeClaimTemplates: { '[]': { metadata: METADATA, spec: CLAIM } },
    },
  },
  'policy/v1 PodDisruptionBudget': {
    spec: { minAvailable: true, maxUnavailable: true, selector: SELECTOR },
  },
  'networking.k8s.io/v1 NetworkPolicy': {
    spec: {
      podSelector: SELECTOR,
      policyTypes: { '[]': true },
      ingress: { '[]': { from: POLICY_PEERS, ports: POLICY_PORTS } },
      egress: { '[]': { to: POLICY_PEERS, ports: POLICY_PORTS } },
    },
  },
  'keda.sh/v1alpha1 ScaledObject': {
    spec: {
      scaleTargetRef: { name: true },
      minReplicaCount: true,
      maxReplicaCount: true,
      pollingInterval: true,
      cooldownPeriod: true,
      fallback: { failureThreshold: true, replicas: true },
      advanced: {
        horizontalPodAutoscalerConfig: {
          behavior: { scaleUp: SCALING_RULES, scaleDown: SCALING_RULES },
        },
      },
      triggers: {
        '[]': {
          type: true,
          metricType: true,
          metadata: { url: true, valueLocation: true, targetValue: true },
        },
      },
    },
  },
};

/** Paths of keys that the API does not have, or that our manifests have never used. */
export function unknownKeys(object: KubernetesObject): string[] {
  const { apiVersion, kind, metadata } = object;
  const own = SPECS[`${apiVersion} ${kind}`];
  const where = `${kind} ${metadata.name}`;
  if (own === undefined) return [`${where}: unknown kind ${apiVersion} ${kind}`];
  const keys: Keys = { apiVersion: true, kind: true, metadata: METADATA, ...own };
  return walk(object, keys, '').map((path) => `${where}: ${path}`);
}

function walk(value: unknown, keys: Keys | true, path: string): string[] {
  if (keys === true) return typeof value === 'object' && value !== null ? [path] : [];
  if (Array.isArray(value)) {
    const element = keys['[]'];
    if (element === undefined) return [path];
    return value.flatMap((item, i) => walk(item, element, `${path}[${i}]`));
  }
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = keys[key] ?? keys['*'];
    const at = path === '' ? key : `${path}.${key}`;
    return below === undefined ? [at] : walk(inner, below, at);
  });
}
