# The apiextensions.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group apiextensions.k8s.io/v1

# What is served.

kind CustomResourceDefinition  cluster
  plural       customresourcedefinitions
  short        crd crds
  categories   api-extensions
  stored       /apiextensions.k8s.io/customresourcedefinitions  hash jfWCUB31mvA=
  columns      Name:name "Created At":date
  subresource  status               get patch update

# Values that strings are limited to.

enum FieldValueErrorReason
    FieldValueDuplicate FieldValueForbidden FieldValueInvalid FieldValueRequired

# Objects: types with a kind and an apiVersion.

object ConversionReview
  1  request   ConversionRequest?
  2  response  ConversionResponse?

object CustomResourceDefinition
  1  metadata  ObjectMeta
  2  spec      CustomResourceDefinitionSpec    required
  3  status    CustomResourceDefinitionStatus

# What they are made of.

type ConversionRequest
  1  uid                string  required
  2  desiredAPIVersion  string  required
  3  objects            [raw]   required  atomic

type ConversionResponse
  1  uid               string  required
  2  convertedObjects  [raw]   required  atomic
  3  result            Status  required

type CustomResourceColumnDefinition
  1  name         string  required
  2  type         string  required
  3  format       string
  4  description  string
  5  priority     int32
  6  jsonPath     string  required

type CustomResourceConversion
  1  strategy  string              required
  2  webhook   WebhookConversion?

type CustomResourceDefinitionCondition
  1  type                string  required
  2  status              string  required
  3  lastTransitionTime  time
  4  reason              string
  5  message             string
  6  observedGeneration  int64

type CustomResourceDefinitionNames
  1  plural      string    required
  2  singular    string
  3  shortNames  [string]  atomic
  4  kind        string    required
  5  listKind    string
  6  categories  [string]  atomic

type CustomResourceDefinitionSpec
   1  group                  string                             required
   3  names                  CustomResourceDefinitionNames      required
   4  scope                  string                             required
   7  versions               [CustomResourceDefinitionVersion]  required  atomic
   9  conversion             CustomResourceConversion?
  10  preserveUnknownFields  bool

type CustomResourceDefinitionStatus
  1  conditions          [CustomResourceDefinitionCondition]  always  keyed by type
  2  acceptedNames       CustomResourceDefinitionNames        always
  3  storedVersions      [string]                             always  atomic
  4  observedGeneration  int64

type CustomResourceDefinitionVersion
  1  name                      string                            required
  2  served                    bool                              required
  3  storage                   bool                              required
  7  deprecated                bool
  8  deprecationWarning        string?
  4  schema                    CustomResourceValidation?
  5  subresources              CustomResourceSubresources?
  6  additionalPrinterColumns  [CustomResourceColumnDefinition]  atomic
  9  selectableFields          [SelectableField]                 atomic

type CustomResourceSubresourceScale
  1  specReplicasPath    string   required
  2  statusReplicasPath  string   required
  3  labelSelectorPath   string?

type CustomResourceSubresourceStatus

type CustomResourceSubresources
  1  status  CustomResourceSubresourceStatus?
  2  scale   CustomResourceSubresourceScale?

type CustomResourceValidation
  1  openAPIV3Schema  JSONSchemaProps?

type ExternalDocumentation
  1  description  string
  2  url          string

type JSONSchemaProps
   1  id                                    string
   2  $schema                               string
   3  $ref                                  string?
   4  description                           string
   5  type                                  string
   6  format                                string
   7  title                                 string
   8  default                               json?
   9  maximum                               double?
  10  exclusiveMaximum                      bool
  11  minimum                               double?
  12  exclusiveMinimum                      bool
  13  maxLength                             int64?
  14  minLength                             int64?
  15  pattern                               string
  16  maxItems                              int64?
  17  minItems                              int64?
  18  uniqueItems                           bool
  19  multipleOf                            double?
  20  enum                                  [json]                          atomic
  21  maxProperties                         int64?
  22  minProperties                         int64?
  23  required                              [string]                        atomic
  24  items                                 JSONSchemaPropsOrArray?
  25  allOf                                 [JSONSchemaProps]               atomic
  26  oneOf                                 [JSONSchemaProps]               atomic
  27  anyOf                                 [JSONSchemaProps]               atomic
  28  not                                   JSONSchemaProps?
  29  properties                            {JSONSchemaProps}
  30  additionalProperties                  JSONSchemaPropsOrBool?
  31  patternProperties                     {JSONSchemaProps}
  32  dependencies                          {JSONSchemaPropsOrStringArray}
  33  additionalItems                       JSONSchemaPropsOrBool?
  34  definitions                           {JSONSchemaProps}
  35  externalDocs                          ExternalDocumentation?
  36  example                               json?
  37  nullable                              bool
  38  x-kubernetes-preserve-unknown-fields  bool?
  39  x-kubernetes-embedded-resource        bool
  40  x-kubernetes-int-or-string            bool
  41  x-kubernetes-list-map-keys            [string]                        atomic
  42  x-kubernetes-list-type                string?
  43  x-kubernetes-map-type                 string?
  44  x-kubernetes-validations              [ValidationRule]                keyed by rule  merge

type JSONSchemaPropsOrArray  either
  1  schema   JSONSchemaProps?
  2  schemas  [JSONSchemaProps]

type JSONSchemaPropsOrBool  either
  1  allows  bool
  2  schema  JSONSchemaProps?

type JSONSchemaPropsOrStringArray  either
  1  schema      JSONSchemaProps?
  2  properties  [string]

type SelectableField
  1  jsonPath  string  required

type ServiceReference
  1  namespace  string   required
  2  name       string   required
  3  path       string?
  4  port       int32?

type ValidationRule
  1  rule               string                  required
  2  message            string
  3  messageExpression  string
  4  reason             FieldValueErrorReason?
  5  fieldPath          string
  6  optionalOldSelf    bool?

type WebhookClientConfig
  3  url       string?
  1  service   ServiceReference?
  2  caBundle  bytes

type WebhookConversion
  2  clientConfig              WebhookClientConfig?
  3  conversionReviewVersions  [string]              required  atomic
