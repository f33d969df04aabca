import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DEPLOYED_BEHAVIOR } from '@cuzk/service-kit/testing/simulate-scaling';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readRepositoryText } from '../docs/markdown.ts';
import { type KubernetesObject, unknownKeys } from './kubernetes-keys.ts';
import { sharedSettingsText } from './settings-text.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const render = (overlay: string) =>
  spawnSync('kubectl', ['kustomize', `deploy/k8s/overlays/${overlay}`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
const HAS_KUBECTL =
  spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).status === 0;
if (!HAS_KUBECTL) console.log('skipped: kubectl, which renders kustomizations, is not here');

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly Record<string, { readonly name: string }>[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly resources?: { readonly requests?: object; readonly limits?: Record<string, string> };
  readonly securityContext?: object;
  readonly lifecycle?: object;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}
interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
}
interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
  readonly serviceAccountName?: string;
  readonly securityContext?: { readonly runAsNonRoot?: boolean };
  readonly terminationGracePeriodSeconds?: number;
}
interface Workload extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
      readonly spec: PodSpec;
    };
  };
}
type Labels = Readonly<Record<string, string>>;

function objectsOf(overlay: string): KubernetesObject[] {
  const { stdout, stderr, status } = render(overlay);
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject);
}

describe.skipIf(!HAS_KUBECTL).each(['dev', 'prod', 'prod-s3'])('overlay %s', (overlay) => {
  const objects = HAS_KUBECTL ? objectsOf(overlay) : [];
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  const named = (kind: string, name: string) =>
    ofKind(kind).find(({ metadata }) => metadata.name === name);
  const workloads = [...ofKind('Deployment'), ...ofKind('StatefulSet')] as Workload[];
  const ours = workloads.filter(({ kind }) => kind === 'Deployment');
  const podsMatching = (selector: Labels) =>
    workloads.filter(({ spec }) =>
      Object.entries(selector).every(
        ([key, value]) => spec.template.metadata.labels[key] === value,
      ),
    );
  const namespace = overlay === 'dev' ? 'cuzk-dev' : 'cuzk';

  it('has only keys that Kubernetes and KEDA know', () => {
    expect(objects.length).toBeGreaterThan(15);
    expect(objects.flatMap(unknownKeys)).toEqual([]);
  });

  it('is in one namespace', () => {
    for (const { kind, metadata } of objects) {
      if (kind === 'Namespace') expect(metadata.name).toBe(namespace);
      else expect(metadata.namespace, `${kind} ${metadata.name}`).toBe(namespace);
    }
  });

  it('refers to accounts, claims, settings and volumes that are there', () => {
    const pods = workloads.map(({ spec }) => spec.template.spec);
    const accounts = pods.flatMap(({ serviceAccountName }) => serviceAccountName ?? []);
    const claims = pods.flatMap(({ volumes = [] }) =>
      volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
    );
    const maps = pods.flatMap(({ containers }) =>
      containers.flatMap(({ envFrom = [] }) =>
        envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []),
      ),
    );
    const names = (kind: string) => ofKind(kind).map(({ metadata }) => metadata.name);
    expect(names('ServiceAccount')).toEqual(expect.arrayContaining(accounts));
    expect(names('PersistentVolumeClaim')).toEqual(expect.arrayContaining(claims));
    expect(names('ConfigMap')).toEqual(expect.arrayContaining(maps));
    for (const { containers, volumes = [] } of pods) {
      const mounted = containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
      // The claim of the template of a stateful set.
      const declared = ['data', ...volumes.map(({ name }) => name)];
      expect(declared).toEqual(expect.arrayContaining(mounted.map(({ name }) => name)));
    }
    // The secret of production is made by hand: it is in no file.
    expect(named('Secret', 'cuzk') === undefined).toBe(overlay !== 'dev');
  });

  it('selects pods with every policy, budget and service', () => {
    const selectors = objects.flatMap(({ kind, metadata, spec }) => {
      const own = spec as {
        selector?: { matchLabels?: Labels };
        podSelector?: { matchLabels?: Labels };
      };
      if (kind === 'Service') return [[metadata.name, own.selector as unknown as Labels] as const];
      if (kind === 'PodDisruptionBudget')
        return [[metadata.name, own.selector?.matchLabels] as const];
      return kind === 'NetworkPolicy'
        ? [[metadata.name, own.podSelector?.matchLabels] as const]
        : [];
    });
    expect(selectors.length).toBeGreaterThan(7);
    for (const [name, selector] of selectors) {
      expect(podsMatching(selector ?? {}).length, name).toBeGreaterThan(0);
    }
    const egress = named('NetworkPolicy', 'cuzk-to-redis')?.spec as {
      podSelector: { matchLabels: Labels };
    };
    expect(podsMatching(egress.podSelector.matchLabels)).toEqual(expect.arrayContaining(ours));
  });

  it('runs every container without rights, on a read-only root, within a memory limit', () => {
    for (const { metadata, spec } of workloads) {
      const pod = spec.template.spec;
      expect(pod.securityContext?.runAsNonRoot, metadata.name).toBe(true);
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources?.limits?.memory).toMatch(/^\d+[GM]i$/);
      }
    }
    const [space] = ofKind('Namespace');
    expect(space?.metadata.labels?.['pod-security.kubernetes.io/enforce']).toBe('restricted');
  });

  it.each(['api', 'synth-worker', 'gpu-worker'])(
    '%s runs a target of the Dockerfile with settings that it reads',
    (name) => {
      const [container] = (named('Deployment', name) as Workload).spec.template.spec.containers;
      expect(container?.image).toMatch(new RegExp(`(^|/)cuzk/${name}:`));
      expect(readRepositoryText('deploy/docker/Dockerfile')).toContain(` AS ${name}\n`);
      const own = (container?.env ?? []).map((variable) => variable.name);
      const shared = Object.keys((named('ConfigMap', 'cuzk') as unknown as { data: Labels }).data);
      const sources = `${readRepositoryText(`services/${name}/src/config.ts`)}\n${sharedSettingsText()}`;
      for (const variable of own.filter((key) => !/^(NVIDIA|MESA)_/.test(key))) {
        expect(sources, variable).toMatch(new RegExp(`^ {2}${variable}: `, 'm'));
      }
      const everywhere = ['api', 'synth-worker', 'gpu-worker']
        .map((role) => readRepositoryText(`services/${role}/src/config.ts`))
        .join('\n');
      for (const variable of shared) {
        expect(sources + everywhere, variable).toMatch(new RegExp(`^ {2}${variable}: `, 'm'));
      }
    },
  );

  it('asks each process for its own health at a port that it has', () => {
    for (const { metadata, spec } of ours) {
      const [container] = spec.template.spec.containers;
      const ports = container?.ports?.map(({ name }) => name);
      expect(container?.livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'http' });
      const ready = metadata.name === 'api' ? '/readyz?scope=process' : '/readyz';
      expect(container?.readinessProbe?.httpGet).toEqual({ path: ready, port: 'http' });
      expect(ports).toEqual(['http', 'metrics']);
      const portVariable = metadata.name === 'api' ? 'PORT' : 'OPS_PORT';
      const port = container?.ports?.[0]?.containerPort;
      expect(container?.env).toContainEqual({ name: portVariable, value: String(port) });
      if (metadata.name !== 'api') {
        expect(JSON.stringify(container?.lifecycle)).toContain(`127.0.0.1:${port}/finish`);
      }
    }
  });

  it('leaves a gpu-worker alone while it is there, and gives it time for the partition at hand', () => {
    const { template } = (named('Deployment', 'gpu-worker') as Workload).spec;
    expect(template.metadata.annotations).toMatchObject({
      'karpenter.sh/do-not-disrupt': 'true',
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
    });
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(600);
  });

  it.skipIf(overlay === 'prod-s3')('shares the artifact store between all pods', () => {
    const claim = named('PersistentVolumeClaim', 'artifacts')?.spec as { accessModes: string[] };
    expect(claim.accessModes).toEqual(['ReadWriteMany']);
  });
});

describe.skipIf(!HAS_KUBECTL)('production with a bucket', () => {
  const objects = HAS_KUBECTL ? objectsOf('prod-s3') : [];
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);

  it('is production but for the artifacts, which no pod mounts', () => {
    const names = (list: readonly KubernetesObject[]) =>
      list.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const [own, production] = [names(objects), names(objectsOf('prod'))];
    expect(production.filter((name) => !own.includes(name))).toEqual([
      'PersistentVolumeClaim artifacts',
    ]);
    expect(own.filter((name) => !production.includes(name))).toEqual([
      'NetworkPolicy cuzk-to-bucket',
    ]);
    for (const { spec } of ofKind('Deployment') as Workload[]) {
      const { containers, volumes = [] } = spec.template.spec;
      expect(volumes.map(({ name }) => name)).toEqual(['params', 'cache', 'tmp']);
      expect(containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual([
        ...['/params', '/cache', '/tmp'],
      ]);
    }
  });

  it('names the bucket, and keeps local copies where a pod can write', () => {
    const { data } = ofKind('ConfigMap')[0] as unknown as { data: Labels };
    expect(data).toMatchObject({ ARTIFACT_STORE: 's3', S3_CACHE_DIR: '/cache/artifacts' });
    expect(data.S3_BUCKET).not.toBe('');
  });

  it('lets every pod of ours reach it', () => {
    const policy = ofKind('NetworkPolicy').find(({ metadata }) => /bucket/.test(metadata.name));
    expect(policy?.spec).toMatchObject({
      policyTypes: ['Egress'],
      egress: [{ ports: [{ protocol: 'TCP', port: 443 }] }],
    });
  });
});

describe.skipIf(!HAS_KUBECTL)('production', () => {
  const objects = HAS_KUBECTL ? objectsOf('prod') : [];
  const scaled = objects.filter(({ kind }) => kind === 'ScaledObject') as unknown as ScaledObject[];

  it('gives every gpu-worker exactly one device', () => {
    const worker = objects.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'gpu-worker',
    ) as Workload;
    const [container] = worker.spec.template.spec.containers;
    expect(container?.resources?.limits?.['nvidia.com/gpu']).toBe('1');
    expect(container?.env).toContainEqual({
      name: 'NVIDIA_DRIVER_CAPABILITIES',
      value: 'compute,utility,graphics',
    });
  });

  it('scales workers by the signal of the API, and leaves their number to it', () => {
    expect(scaled.map(({ metadata }) => metadata.name)).toEqual(['gpu-worker', 'synth-worker']);
    for (const { metadata, spec } of scaled) {
      const target = objects.find(
        (object) =>
          object.kind === 'Deployment' && object.metadata.name === spec.scaleTargetRef.name,
      ) as Workload;
      expect(target.spec.replicas).toBeUndefined();
      const [trigger] = spec.triggers;
      expect(trigger?.metadata.url).toBe(
        `http://api.${metadata.namespace}.svc.cluster.local:8080/v1/autoscale`,
      );
      expect(trigger?.metadata.valueLocation).toBe(`${metadata.name}.desired`);
    }
    // Who dispatches and finalizes is never scaled away.
    expect(scaled.map(({ spec }) => spec.minReplicaCount)).toEqual([0, 1]);
  });

  it('scales with the numbers that the simulation was run with', () => {
    for (const { spec } of scaled) {
      const { scaleUp, scaleDown } = spec.advanced.horizontalPodAutoscalerConfig.behavior;
      expect({
        ...DEPLOYED_BEHAVIOR,
        maxReplicas: spec.maxReplicaCount,
        syncSeconds: spec.pollingInterval,
        downStabilizationSeconds: scaleDown.stabilizationWindowSeconds,
        upPods: scaleUp.policies[0]?.value,
        upPeriodSeconds: scaleUp.policies[0]?.periodSeconds,
      }).toEqual(DEPLOYED_BEHAVIOR);
      expect(scaleUp.stabilizationWindowSeconds).toBe(0);
      expect(scaleDown.policies).toEqual([{ type: 'Percent', value: 100, periodSeconds: 15 }]);
    }
  });

  it('has no secret in any file', () => {
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(readFileSync(`${ROOT}deploy/k8s/overlays/prod/kustomization.yaml`, 'utf8')).not.toMatch(
      /rediss?:\/\/[^…]/,
    );
  });
});

describe.skipIf(!HAS_KUBECTL)('the check of keys', () => {
  it('finds a key that is misspelt, wherever it is', () => {
    const [deployment] = objectsOf('prod').filter(({ kind }) => kind === 'Deployment');
    const changed = (from: string, to: string) =>
      unknownKeys(JSON.parse(JSON.stringify(deployment).replace(`"${from}"`, `"${to}"`)));
    expect(changed('livenessProbe', 'livenesProbe')).toEqual([
      'Deployment api: spec.template.spec.containers[0].livenesProbe',
    ]);
    expect(changed('terminationGracePeriodSeconds', 'gracePeriod')).toHaveLength(1);
    expect(changed('strategy', 'stategy')).toHaveLength(1);
  });
});

interface Behaviour {
  readonly stabilizationWindowSeconds: number;
  readonly policies: readonly {
    readonly type: string;
    readonly value: number;
    readonly periodSeconds: number;
  }[];
}
interface ScaledObject extends KubernetesObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly pollingInterval: number;
    readonly advanced: {
      readonly horizontalPodAutoscalerConfig: {
        readonly behavior: { readonly scaleUp: Behaviour; readonly scaleDown: Behaviour };
      };
    };
    readonly triggers: readonly { readonly metadata: Readonly<Record<string, string>> }[];
  };
}
