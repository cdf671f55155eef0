{{- define "svc.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Never "svc" alone: Kubernetes would put SVC_PORT and its like into every pod of the namespace. */}}
{{- define "svc.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if eq .Release.Name "svc" }}
{{- "svc-gateway" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "svc.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "svc.selector" -}}
app.kubernetes.io/name: {{ include "svc.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "svc.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* The secrets as a list of variable, name of the Secret and key. */}}
{{- define "svc.secrets" -}}
{{- $all := dict "SVC_DATABASE_URL" .Values.secrets.database "SVC_KEY_PEPPER" .Values.secrets.keyPepper "SVC_SESSION_SECRET" .Values.secrets.sessionSecret }}
{{- if .Values.upstream.kind }}
{{- $_ := set $all "SVC_UPSTREAM_API_KEY" .Values.secrets.upstreamKey }}
{{- end }}
{{- if .Values.secrets.ledgerLogKey.name }}
{{- $_ := set $all "SVC_LOG_KEY" .Values.secrets.ledgerLogKey }}
{{- end }}
{{- if and .Values.storage.bucket .Values.secrets.s3AccessKeyId.name }}
{{- $_ := set $all "SVC_S3_ACCESS_KEY_ID" .Values.secrets.s3AccessKeyId }}
{{- $_ := set $all "SVC_S3_SECRET_ACCESS_KEY" .Values.secrets.s3SecretAccessKey }}
{{- end }}
{{- merge $all .Values.secrets.more | toJson }}
{{- end }}

{{/* What a gateway and the migrations are given alike. */}}
{{- define "svc.env" -}}
{{- range $variable, $secret := include "svc.secrets" . | fromJson }}
- name: {{ $variable }}_FILE
  value: /run/secrets/svc/{{ $variable }}
{{- end }}
- name: SVC_PUBLIC_URL
  value: {{ required "publicUrl is missing: give the origin that clients use, such as https://ai.example.com" .Values.publicUrl | quote }}
{{- with .Values.upstream.kind }}
- name: SVC_UPSTREAM
  value: {{ . | quote }}
{{- end }}
{{- with .Values.upstream.url }}
- name: SVC_UPSTREAM_URL
  value: {{ . | quote }}
{{- end }}
{{- with .Values.trustedProxies }}
- name: SVC_TRUSTED_PROXIES
  value: {{ . | quote }}
{{- end }}
{{- with .Values.storage }}
{{- if .bucket }}
- name: SVC_S3_BUCKET
  value: {{ .bucket | quote }}
- name: SVC_S3_REGION
  value: {{ .region | quote }}
{{- with .endpoint }}
- name: SVC_S3_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- with .addressing }}
- name: SVC_S3_ADDRESSING
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
# Metrics and probes answer inside the cluster; the network policy says whom.
- name: SVC_ADMIN_HOST
  value: 0.0.0.0
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "svc.mounts" -}}
- name: secrets
  mountPath: /run/secrets/svc
  readOnly: true
{{- if .Values.configFile }}
- name: config
  mountPath: /opt/svc/svc.config.json
  subPath: svc.config.json
  readOnly: true
{{- end }}
{{- end }}

{{- define "svc.volumes" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $variable, $secret := include "svc.secrets" . | fromJson }}
      - secret:
          name: {{ $secret.name }}
          items:
            - key: {{ $secret.key }}
              path: {{ $variable }}
      {{- end }}
{{- if .Values.configFile }}
- name: config
  configMap:
    name: {{ include "svc.fullname" . }}-config{{ if .isHook }}-migrate{{ end }}
{{- end }}
{{- end }}

{{- define "svc.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "svc.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
