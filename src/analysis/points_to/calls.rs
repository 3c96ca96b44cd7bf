//! Calls and thread starts: which instance is entered, and what is passed.

use crate::index::{FuncId, Idx};
use crate::program::{Callee, Operand, Type};

use super::address::Address;
use super::instances::{Instance, InstanceId};
use super::objects::{ObjectKind, Place};
use super::solver::{CallId, CallUse, NodeId, Solver, Use};

impl<'p> Solver<'p> {
    /// The instance of a function for all calls.
    pub fn whole_instance(&mut self, function: FuncId) -> InstanceId {
        if let Some(id) = self.whole.get(&function) {
            return *id;
        }
        let id = self.new_instance(function, None);
        self.whole.insert(function, id);
        id
    }

    /// The instance of a function for one call: its own, if the function is a helper.
    fn instance_at(&mut self, function: FuncId, place: Place) -> InstanceId {
        if !self.helpers.contains(function.index()) || self.on_chain(function, place.instance) {
            return self.whole_instance(function);
        }
        if let Some(id) = self.cloned.get(&(place, function)) {
            return *id;
        }
        let id = self.new_instance(function, Some(place));
        self.cloned.insert((place, function), id);
        id
    }

    /// Whether the instance, or one that it is nested in, is of that function: a thread may start itself anew.
    fn on_chain(&self, function: FuncId, mut instance: InstanceId) -> bool {
        loop {
            let at = &self.instances[instance];
            match at.site {
                _ if at.function == function => return true,
                Some(site) => instance = site.instance,
                None => return false,
            }
        }
    }

    fn new_instance(&mut self, function: FuncId, site: Option<Place>) -> InstanceId {
        let values = self.program.functions[function].values.len();
        let ret = self.node();
        let base = self.nodes_block(values);
        let id = self.instances.push(Instance {
            function,
            site,
            calls: Vec::new(),
            starts: Vec::new(),
            accesses: Vec::new(),
            base,
            ret,
        });
        self.todo.push_back(id);
        id
    }

    /// A root: its parameters come from outside.
    pub fn root(&mut self, function: FuncId) -> InstanceId {
        let instance = self.whole_instance(function);
        let f = &self.program.functions[function];
        for (n, param) in f.params.iter().enumerate() {
            if f.values[*param].ty == Type::Ptr {
                let object = self.object(ObjectKind::Parameter(function, n as u32), None, true);
                self.objects[object].content = self.parameter_type(function, n);
                let node = self.value(instance, *param);
                self.add(node, Address::at(object, 0));
            }
        }
        instance
    }

    pub fn call(
        &mut self,
        at: Place,
        callee: &Callee,
        args: &[Operand],
        ret: &Type,
        result: Option<NodeId>,
    ) {
        let args: Vec<_> = args.iter().map(|a| self.operand(at.instance, a)).collect();
        match callee {
            Callee::Direct(f) if self.program.functions[*f].is_defined() => {
                let instance = self.instance_at(*f, at);
                self.bind(at, instance, &args, result, false);
            }
            Callee::Direct(_) => {
                if let (Some(to), Type::Ptr) = (result, ret) {
                    self.lazy_object(at, None, to);
                }
            }
            Callee::Indirect(target) => self.through_pointer(at, target, args, result, false),
        }
    }

    pub fn through_pointer(
        &mut self,
        place: Place,
        target: &Operand,
        args: Vec<Option<NodeId>>,
        result: Option<NodeId>,
        start: bool,
    ) {
        let Some(node) = self.operand(place.instance, target) else {
            return;
        };
        let call = self.calls.push(CallUse {
            place,
            args,
            result,
            start,
        });
        self.add_use(node, Use::Call(call));
    }

    /// A function turned out to be a target of a call or thread start through a pointer.
    pub fn call_target(&mut self, call: CallId, function: FuncId) {
        let CallUse {
            place,
            args,
            result,
            start,
        } = self.calls[call].clone();
        if !self.program.functions[function].is_defined() {
            if let Some(to) = result {
                self.lazy_object(place, None, to);
            }
            return;
        }
        // A thread start keeps its own argument apart from those of other starts.
        let instance = if start {
            self.instance_at(function, place)
        } else {
            self.whole_instance(function)
        };
        self.bind(place, instance, &args, result, start);
    }

    /// The functions of the input that stand where the pointer of a call comes from.
    pub fn own_targets(&self, call: CallId) -> &'p [FuncId] {
        let at = &self.calls[call];
        let function = self.instances[at.place.instance].function;
        let instr = &self.program.functions[function].blocks[at.place.block].instrs;
        let instr = instr.get(at.place.index as usize);
        instr.filter(|_| !at.start).map_or(&[], |i| &i.own)
    }

    fn bind(
        &mut self,
        place: Place,
        callee: InstanceId,
        args: &[Option<NodeId>],
        result: Option<NodeId>,
        start: bool,
    ) {
        let caller = &mut self.instances[place.instance];
        let edges = if start {
            &mut caller.starts
        } else {
            &mut caller.calls
        };
        if !edges.contains(&(place, callee)) {
            edges.push((place, callee));
        }
        let params = &self.program.functions[self.instances[callee].function].params;
        for (param, arg) in params.iter().zip(args) {
            if let Some(arg) = arg {
                let to = self.value(callee, *param);
                self.copy(*arg, to);
            }
        }
        if let Some(to) = result {
            let ret = self.instances[callee].ret;
            self.copy(ret, to);
        }
    }
}
