// Objects by name, and by the keys of indexes. What an informer knows.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "client/informer.h"

namespace skiff::client {

class ObjectIndex {
 public:
  using Objects = std::map<ObjectName, ObjectPtr>;

  // Of two indexes of one name the first stays: both must find the same.
  void AddIndex(std::string name, IndexFunction keys);

  // What was there under that name; null: nothing.
  ObjectPtr Set(const ObjectName& name, ObjectPtr object);
  ObjectPtr Remove(const ObjectName& name);

  const Objects& objects() const { return objects_; }
  ObjectPtr Find(const ObjectName& name) const;
  std::vector<ObjectPtr> List(std::string_view name_space) const;
  std::vector<ObjectPtr> ByIndex(std::string_view index, std::string_view key) const;

 private:
  struct Index {
    IndexFunction keys;
    std::map<std::string, Objects, std::less<>> found;
    void Add(const ObjectName& name, const ObjectPtr& object);
    void Remove(const ObjectName& name, const object::Document& object);
  };

  Objects objects_;
  std::map<std::string, Index, std::less<>> indexes_;
};

}  // namespace skiff::client
