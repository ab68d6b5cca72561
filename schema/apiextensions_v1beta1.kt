# The apiextensions.k8s.io group, v1beta1: no longer served, but the form in which upstream
# keeps definitions in the store. Types that are the same as in v1 are those of v1.
group apiextensions.k8s.io/v1beta1

object CustomResourceDefinition
  1  metadata  ObjectMeta
  2  spec      CustomResourceDefinitionSpec                     required
  3  status    apiextensions_v1.CustomResourceDefinitionStatus

type CustomResourceColumnDefinition
  1  name         string  required
  2  type         string  required
  3  format       string
  4  description  string
  5  priority     int32
  6  JSONPath     string  required

type CustomResourceConversion
  1  strategy                  string                                 required
  2  webhookClientConfig       apiextensions_v1.WebhookClientConfig?
  3  conversionReviewVersions  [string]                               atomic

# What is the same in all versions stands once, outside of them.
type CustomResourceDefinitionSpec
   1  group                     string                                          required
   2  version                   string
   3  names                     apiextensions_v1.CustomResourceDefinitionNames  required
   4  scope                     string                                          required
   5  validation                apiextensions_v1.CustomResourceValidation?
   6  subresources              apiextensions_v1.CustomResourceSubresources?
   7  versions                  [CustomResourceDefinitionVersion]               atomic
   8  additionalPrinterColumns  [CustomResourceColumnDefinition]                atomic
  11  selectableFields          [apiextensions_v1.SelectableField]              atomic
   9  conversion                CustomResourceConversion?
  10  preserveUnknownFields     bool?

type CustomResourceDefinitionVersion
  1  name                      string                                        required
  2  served                    bool                                          required
  3  storage                   bool                                          required
  7  deprecated                bool
  8  deprecationWarning        string?
  4  schema                    apiextensions_v1.CustomResourceValidation?
  5  subresources              apiextensions_v1.CustomResourceSubresources?
  6  additionalPrinterColumns  [CustomResourceColumnDefinition]              atomic
  9  selectableFields          [apiextensions_v1.SelectableField]            atomic
