# The events.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group events.k8s.io/v1

# What is served.

kind Event  namespaced
  plural       events
  short        ev
  stored       /events  hash r2yiGXH7wu8=  as core/v1
  columns      "Last Seen" Type Reason Object wide(Subobject Source) Message
  columns      wide("First Seen" Count Name:name)
  selectable   reason type regarding.kind=involvedObject.kind
  selectable   regarding.namespace=involvedObject.namespace regarding.name=involvedObject.name
  selectable   regarding.uid=involvedObject.uid regarding.apiVersion=involvedObject.apiVersion
  selectable   regarding.resourceVersion=involvedObject.resourceVersion
  selectable   regarding.fieldPath=involvedObject.fieldPath reportingController=reportingComponent

# Objects: types with a kind and an apiVersion.

object Event
   1  metadata                  ObjectMeta                always
   2  eventTime                 microtime                 required
   3  series                    EventSeries?
   4  reportingController       string
   5  reportingInstance         string
   6  action                    string
   7  reason                    string
   8  regarding                 core_v1.ObjectReference
   9  related                   core_v1.ObjectReference?
  10  note                      string
  11  type                      string
  12  deprecatedSource          core_v1.EventSource
  13  deprecatedFirstTimestamp  time
  14  deprecatedLastTimestamp   time
  15  deprecatedCount           int32

# What they are made of.

type EventSeries
  1  count             int32      required
  2  lastObservedTime  microtime  required
