// The functions of the language and of Kubernetes, by library. Each adds its own.
#pragma once

#include "cel/library.h"

namespace keelson::cel {

void AddOperators(Library& library);
void AddConversions(Library& library);
void AddTimeFunctions(Library& library);
void AddStrings(Library& library);
void AddStringFormat(Library& library);
void AddRegex(Library& library);
void AddLists(Library& library);          // Kubernetes': sum, min, max, isSorted, indexOf
void AddExtendedLists(Library& library);  // slice, flatten, sort, distinct, reverse, range
void AddSets(Library& library);
void AddOptionals(Library& library);
void AddTwoVariableComprehensions(Library& library);
void AddUrls(Library& library);
void AddIpAndCidr(Library& library);
void AddQuantity(Library& library);
void AddSemver(Library& library);
void AddNamedFormats(Library& library);
void AddAuthorization(Library& library);
void AddJsonPatch(Library& library);

// Types that only functions make.
const TypeRef& UrlType();
const TypeRef& IpType();
const TypeRef& CidrType();
const TypeRef& QuantityType();
const TypeRef& SemverType();
const TypeRef& NamedFormatType();

}  // namespace keelson::cel
